"""Rule fixes: repair a query on its tree, without a model.

``propose`` gives candidates; ``choose`` tries them and says how much the best one can be trusted.
"""

from querymend.tools.fixes.fix import Fix
from querymend.tools.fixes.search import Chosen, Trial, choose, propose

__all__ = ["Chosen", "Fix", "Trial", "choose", "propose"]
