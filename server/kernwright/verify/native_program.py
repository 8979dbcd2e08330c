"""Building the native programs that this package brings as source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import get_ident

from kernwright.run.cache import content_key
from kernwright.run.model import Limits
from kernwright.targets.model import Compiler
from kernwright.verify.question import Workbench

_SOURCES = Path(__file__).with_name("native")


@dataclass(frozen=True)
class NativeProgram:
    """A C program of ``native/``: file names there, and the words for the compiler."""

    name: str
    sources: tuple[str, ...]
    headers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ("-O2", "-std=gnu11")
    link: tuple[str, ...] = ()


def build_native(program: NativeProgram, compiler: Compiler, workbench: Workbench) -> Path | str:
    """The built program, in a folder of its own; or one line that says why there is none.

    Built once per compiler and text: the executable comes from the cache where it can.
    """
    texts = {name: (_SOURCES / name).read_bytes() for name in (*program.sources, *program.headers)}
    key = content_key(
        "native", program.name, *compiler.command, compiler.title, *program.flags, *program.link, *texts.values()
    )
    folder = workbench.scratch / f"{program.name}-{key[:16]}"
    built = folder / program.name
    if built.is_file():
        return built
    folder.mkdir(parents=True, exist_ok=True)
    cached = workbench.cache.get(key)
    if cached is not None:
        return _place(built, cached)
    # g++ forgets after one file that it was told to take it as C.
    sources = [word for name in program.sources for word in ("-x", "c", str(_SOURCES / name))]
    new = folder / f"{program.name}.{get_ident()}"
    outcome = workbench.runner.tool(
        [*compiler.command, *program.flags, *sources, "-x", "none", "-o", str(new), *program.link],
        directory=folder,
        limits=Limits(wall_seconds=120, processes=0),
    )
    if not outcome.ok:
        said = outcome.stderr.decode(errors="replace").strip().splitlines()
        errors = [line for line in said if "error" in line or "failed" in line] or said or ["no reason given"]
        return f"{program.name} does not build with {compiler.title}: {errors[0]}"
    workbench.cache.put(key, new.read_bytes())
    return new.replace(built)


def _place(built: Path, executable: bytes) -> Path:
    """Complete or not there: another thread may be looking for it, or placing it too."""
    new = built.with_suffix(f".{get_ident()}")
    new.write_bytes(executable)
    new.chmod(0o755)
    return new.replace(built)
