"""The app: global options, and one module for each group of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernwright.cli import check, decide, demo, doctor, memory, optimize, profile, rules, schema, serve, verify
from kernwright.cli.front import Format, Front

app = typer.Typer(
    name="kernwright",
    help="Verified, measured rewrites for compute kernels.",
    epilog="The options above may stand anywhere on the line.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def global_options() -> dict[str, bool]:
    """Every global option, and whether it takes a value."""
    return {
        "--target": True,
        "--settings": True,
        "--cache": True,
        "--format": True,
        "--no-cache": False,
        "--quiet": False,
        "--verbose": False,
        "--untrusted": False,
    }


def _print_version(wanted: bool) -> None:
    if wanted:
        from kernwright import __version__

        print(f"kernwright {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Option("--target", metavar="NAME", help="What to compile and time for.")
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option("--settings", metavar="FILE", readable=False, help="A TOML file with a [settings] table."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", readable=False, help="Folder of cached builds and runs."),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Build and run everything anew.")] = False,
    form: Annotated[Format, typer.Option("--format", help="For people, or for programs.")] = Format.TEXT,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Say what was used and why.")] = False,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Compile and run nothing of this workspace, and ignore its rules.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    context.obj = Front(
        target=target,
        settings_file=settings,
        cache=cache,
        no_cache=no_cache,
        format=form,
        quiet=quiet,
        verbose=verbose,
        untrusted=untrusted,
    )


app.command("check")(check.check)
app.command("profile")(profile.profile)
app.command("optimize", short_help="Look for rewrites that are right and faster.")(optimize.optimize)
app.command("verify", short_help="Verify somebody's rewrite of a kernel.")(verify.verify)
app.command("recheck", short_help="Verify accepted rewrites again.")(decide.recheck)
app.command("accept")(decide.accept)
app.command("reject", short_help="Say that you do not want an offer.")(decide.reject)
app.add_typer(rules.app, name="rules")
app.add_typer(memory.app, name="memory")
app.command("schema", short_help="Print a JSON Schema.")(schema.schema)
app.command("serve", short_help="Serve an editor.")(serve.serve)
app.command("replay", short_help="Say a recorded session to a server again.")(serve.replay)
app.command("demo", short_help="Run the whole of it on bundled kernels.")(demo.demo)
app.command("doctor", short_help="Say what this machine has and lacks.")(doctor.doctor)
