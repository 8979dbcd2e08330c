import typer
def doctor(context: typer.Context) -> None:
    raise NotImplementedError
