"""``querymend fetch-model``: bring the local model's weights before they are needed."""


def fetch_model() -> None:
    """Fetch the local model's weights (1.1 GB) once, or say that they are here.

    Does nothing where the settings name another endpoint. `ask` does the same by itself.
    """
    from rich.console import Console

    from querymend.cli.opening import opening
    from querymend.model.weights import find_weights
    from querymend.settings import load_settings

    settings = load_settings()
    console = Console(stderr=True)
    if settings.model.base_url:
        console.print("The settings name another endpoint: the local model is not needed.")
        return
    with opening(console) as shown:
        path = find_weights(
            path=settings.model.weights,
            cache_dir=settings.cache_dir,
            progress=shown.progress,
            log=shown.log,
        )
    console.print(f"The local model is here: {path}", highlight=False, soft_wrap=True)
