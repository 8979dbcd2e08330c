import typer
def profile(context: typer.Context) -> None:
    raise NotImplementedError
