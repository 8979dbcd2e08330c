import typer
def demo(context: typer.Context) -> None:
    raise NotImplementedError
