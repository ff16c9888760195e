"""Rule fixes: repair a query on its tree, without a model.

``candidates`` gives texts that may do; ``choose`` tries them and says how far to trust the best.
"""

from querymend.tools.fixes.fix import Fix, Known
from querymend.tools.fixes.search import Chosen, Trial, candidates, choose

__all__ = ["Chosen", "Fix", "Known", "Trial", "candidates", "choose"]
