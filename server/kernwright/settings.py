"""Reading ``Settings``: one frozen, validated object, read once and passed down.

Layers, the later winning: defaults, the user's ``kernwright.toml`` in the configuration folder, the nearest
``kernwright.toml`` at or above the workspace, the editor's settings, ``KERNWRIGHT_*`` in the environment, the file of
``--settings``, flags.
A value that is not valid is said in one line with its place, and the layer below decides instead.

This is the only module that reads the environment. What validates is loaded when something is validated: a process
that only wants to know the environment starts sooner.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kernwright.complaint import Complaint

if TYPE_CHECKING:
    from kernwright.settings_model import Settings

Table = dict[str, Any]
Key = tuple[str, ...]

FILE_NAME = "kernwright.toml"
ENVIRONMENT = "environment"
EDITOR = "editor settings"
ENVIRONMENT_PREFIX = "KERNWRIGHT_"
_USERS_ALONE = frozenset(
    {("allow_weak_sandbox",), ("allowed_compilers",), ("cache",), ("data",), ("model",), ("trusted",)}
)
"""Settings that a workspace may not make: they name programs to run, folders to write to and places to send source and
a key to, spend money, or call it safe."""
_TABLES = ("settings", "kernel")
"""The tables that a ``kernwright.toml`` may have."""
_BYTE_ORDER_MARK = "\ufeff"
_FOR_COMPANIONS = frozenset(
    ("PATH", "HOME", "USER", "LANG", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LOCALAPPDATA", "APPDATA", "USERPROFILE")
)
_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
_TOML_PLACE = re.compile(r"\s*\((?:at line (\d+), column (\d+)|at end of document)\)$")


@dataclass(frozen=True)
class Loaded:
    """Settings, the lines to say about what was not valid in them, and where they came from.

    ``workspace`` is as ``workspace_of`` says. ``search_path`` is the PATH that compilers are looked for on.
    """

    settings: Settings
    problems: tuple[str, ...]
    workspace: Path
    user_rules: Path
    search_path: str


class BadSettings(Complaint):
    """A file named by ``--settings`` that cannot be used. ``str()`` is one line."""


@dataclass
class _Layer:
    """One source of settings. ``place`` names a key for people: ``/x/kernwright.toml:3: rounds``."""

    name: str
    table: Table
    text: str = ""

    def place(self, key: Key) -> str:
        if self.name == ENVIRONMENT:
            return ENVIRONMENT_PREFIX + "_".join(key).upper()
        dotted = ".".join(key)
        line = _line_of(self.text, key)
        return f"{self.name}:{line}: {dotted}" if line else f"{self.name}: {dotted}"


def load_settings(
    start: Path,
    *,
    flags: Mapping[str, Any] | None = None,
    settings_file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    editor: Mapping[str, Any] | None = None,
) -> Loaded:
    """Read all layers for work that starts in the folder ``start``. ``BadSettings`` only for ``settings_file``."""
    import platformdirs

    environ = os.environ if environment is None else environment
    problems: list[str] = []
    user_folder = platformdirs.user_config_path("kernwright")
    workspace = workspace_of(start)
    layers = [_file_layer(user_folder / FILE_NAME, problems)]
    if (workspace / FILE_NAME) != (user_folder / FILE_NAME):
        layers.append(_users_alone(_file_layer(workspace / FILE_NAME, problems), problems))
    if editor:
        layers.append(_editor_layer(editor, problems))
    layers.append(_environment_layer(environ, problems))
    if settings_file is not None:
        layers.append(_named_layer(settings_file))
    layers.append(_Layer("command line", {key: value for key, value in (flags or {}).items() if value is not None}))
    settings = _validated(layers, problems, None if settings_file is None else layers[-2])
    defaults: Table = {}
    if settings.cache == Path():
        defaults["cache"] = platformdirs.user_cache_path("kernwright")
    if settings.data == Path():
        defaults["data"] = platformdirs.user_data_path("kernwright")
    if words := debug_words(environ):
        defaults["debug"] = words
    return Loaded(
        settings.model_copy(update=defaults),
        tuple(problems),
        workspace,
        user_folder / "rules",
        environ.get("PATH", ""),
    )


def companion_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that processes of our own get: what finds programs, folders and settings. No key is among them."""
    environ = os.environ if environment is None else environment
    return {
        name: value
        for name, value in environ.items()
        if name in _FOR_COMPANIONS or name.startswith((ENVIRONMENT_PREFIX, "XDG_", "LC_"))
    }


def model_key(environment: Mapping[str, str] | None = None) -> str:
    """The key of the model's service, empty where there is none. It is read when it is needed and kept nowhere."""
    return (os.environ if environment is None else environment).get("ANTHROPIC_API_KEY", "").strip()


def debug_words(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The words of ``KERNWRIGHT_DEBUG``, which counts even where settings cannot be read."""
    words = (os.environ if environment is None else environment).get("KERNWRIGHT_DEBUG", "")
    return tuple(word.strip() for word in words.split(",") if word.strip())


def workspace_of(start: Path) -> Path:
    """The folder that offers, decisions and learned rules belong to: the nearest marked one, else the current folder
    if the work lies below it, else where the work lies."""
    # These functions of os.path take what cannot be looked at for missing: reading it will say what is wrong.
    folder = Path(os.path.realpath(start))
    if not os.path.isdir(folder):  # noqa: PTH112
        folder = folder.parent
    for marker in (FILE_NAME, ".git", ".hg", ".kernwright", "compile_commands.json"):
        for above in (folder, *folder.parents):
            if os.path.exists(above / marker):  # noqa: PTH110
                return above
    here = Path(os.path.realpath(Path.cwd()))
    return here if folder.is_relative_to(here) else folder


def _file_layer(path: Path, problems: list[str]) -> _Layer:
    """The ``[settings]`` of one file, and whether any table of it is none of ours. A missing file is an empty one."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            problems.append(f"{path}: is a pipe, a device or a socket; its settings are left aside")
            return _Layer(str(path), {})
        text = path.read_text(encoding="utf-8").removeprefix(_BYTE_ORDER_MARK)
        document = tomllib.loads(text)
    except FileNotFoundError:
        return _Layer(str(path), {})
    except OSError as error:
        problems.append(f"{path}: {error.strerror}; its settings are left aside")
    except UnicodeDecodeError:
        problems.append(f"{path}: is not UTF-8; its settings are left aside")
    except RecursionError:
        problems.append(f"{path}: is nested too deeply; its settings are left aside")
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{_toml_words(path, str(error))}; its settings are left aside")
    else:
        for name in document:
            if name not in _TABLES:
                close = get_close_matches(name, _TABLES, 1)
                meant = f"; do you mean [{close[0]}]?" if close else ""
                problems.append(f"{path}:{_line_of_table(text, name)}: no such table: {name}{meant}; left aside")
        table: object = document.get("settings", {})
        if isinstance(table, dict):
            return _Layer(str(path), _as_table(table), text)  # pyright: ignore[reportUnknownArgumentType]
        line = _line_of_table(text, "settings")
        problems.append(f"{path}:{line}: settings is a table: write [settings] on a line of its own; left aside")
    return _Layer(str(path), {})


def _toml_words(path: Path, message: str) -> str:
    """The parser's words with the place where every other message has it."""
    place = _TOML_PLACE.search(message)
    if place is None:
        return f"{path}: {message}"
    line = f":{place.group(1)}:{place.group(2)}" if place.group(1) else ""
    return f"{path}{line}: {message[: place.start()]}{'' if line else ' at its end'}"


def _line_of_table(text: str, name: str) -> int:
    """The line, from 1, on which a key or table of the top level is first named; 1 when it is not found."""
    entry = re.compile(rf"\s*(?:\[+\s*)?[\"']?{re.escape(name)}[\"']?\s*[=.\]]")
    return next((number for number, line in enumerate(text.splitlines(), 1) if entry.match(line)), 1)


def _named_layer(path: Path) -> _Layer:
    problems: list[str] = []
    try:
        if not path.is_file():
            missing = "is no file" if path.exists() else "no such file"
            raise BadSettings(f"{path}: {missing}; name a TOML file with a [settings] table")
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}; name a TOML file with a [settings] table") from None
    layer = _file_layer(path, problems)
    if problems:
        raise BadSettings(problems[0].removesuffix("; its settings are left aside").removesuffix("; left aside"))
    return layer


def _users_alone(layer: _Layer, problems: list[str]) -> _Layer:
    for key in _USERS_ALONE:
        if key[0] in layer.table:
            problems.append(f"{layer.place(key)}: only the user's own settings may say this; left aside")
            del layer.table[key[0]]
    return layer


def _editor_layer(table: Mapping[str, Any], problems: list[str]) -> _Layer:
    """What an editor sent: names as editors write them (``searchSeconds``) or as files do. A null is no value."""
    layer = _Layer(EDITOR, {})
    for name, value in table.items():
        if value is not None:
            layer.table[_CAPITAL.sub(lambda found: f"_{found[0].lower()}", name)] = _without_nulls(value)
    if "trusted" in layer.table:
        problems.append(f"{EDITOR}: trusted: trust is said by the editor's own means; left aside")
        del layer.table["trusted"]
    return layer


def _without_nulls(value: object) -> object:
    match value:
        case dict():
            entries = cast(dict[object, object], value).items()
            return {str(key): _without_nulls(inner) for key, inner in entries if inner is not None}
        case list():
            return [_without_nulls(inner) for inner in cast(list[object], value)]
        case _:
            return value


def _environment_layer(environ: Mapping[str, str], problems: list[str]) -> _Layer:
    known = {ENVIRONMENT_PREFIX + "_".join(key).upper(): key for key in setting_keys()}
    table: Table = {}
    for name, value in sorted(environ.items()):
        if not name.startswith(ENVIRONMENT_PREFIX) or name == "KERNWRIGHT_DEBUG":
            continue
        key = known.get(name)
        if key is None:
            close = get_close_matches(name, known, 1)
            problems.append(f"{name}: no such setting" + (f"; do you mean {close[0]}?" if close else ""))
            continue
        inner = table
        for part in key[:-1]:
            inner = inner.setdefault(part, {})
        inner[key[-1]] = _environment_value(key, value)
    return _Layer(ENVIRONMENT, table)


def _environment_value(key: Key, value: str) -> object:
    """A list may be written as TOML or as words; everything else is handed to validation as it is."""
    if key in _LISTS:
        try:
            return tomllib.loads(f"v = {value}")["v"]
        except tomllib.TOMLDecodeError:
            return value.split()
    if key == ("rules",):
        return {name.lstrip("-"): not name.startswith("-") for name in value.replace(",", " ").split()}
    return value


_LISTS = {("default_flags",), ("allowed_compilers",), ("ignore",)}


def setting_keys() -> Iterator[Key]:
    """Every setting by its path, such as ``("memory", "half_life")``."""
    from kernwright.settings_model import Settings

    for name in Settings.model_fields:
        inner = _fields_below((name,))
        yield from ((name, each) for each in inner) if inner else [(name,)]


def _fields_below(above: Key) -> Mapping[str, object]:
    """The settings of a table, by name; empty for what is no table of settings."""
    from pydantic import BaseModel

    from kernwright.settings_model import Settings

    table: object = Settings
    for name in above:
        field = table.model_fields.get(name) if isinstance(table, type) and issubclass(table, BaseModel) else None
        table = field.annotation if field is not None else None
    return table.model_fields if isinstance(table, type) and issubclass(table, BaseModel) else {}


def _validated(layers: list[_Layer], problems: list[str], strict: _Layer | None) -> Settings:
    """Merge and validate. Each value at fault is taken out of the layer that gave it, until the rest is valid."""
    from pydantic import ValidationError

    from kernwright.settings_model import Settings

    while True:
        merged: Table = {}
        for layer in layers:
            _merge(merged, layer.table)
        try:
            return Settings.model_validate(merged)
        except ValidationError as error:
            first = error.errors()[0]
            key = tuple(str(part) for part in first["loc"])
            layer, key = _culprit(layers, key)
            line = f"{layer.place(key)}: {_complaint(first['type'], first['msg'], key)}"
            if layer is strict or layer.name == "command line":
                raise BadSettings(line) from None
            problems.append(f"{line}; left aside")
            _remove(layer.table, key)


def _complaint(kind: str, message: str, key: Key) -> str:
    if kind == "extra_forbidden":
        *above, name = key
        close = get_close_matches(name, _fields_below(tuple(above)), 1)
        return "no such setting" + (f"; do you mean {close[0]}?" if close else "")
    return message[:1].lower() + message[1:]


def _culprit(layers: list[_Layer], key: Key) -> tuple[_Layer, Key]:
    """The topmost layer that gives ``key`` or the longest prefix of it that any layer gives."""
    for length in range(len(key), 0, -1):
        for layer in reversed(layers):
            if _has(layer.table, key[:length]):
                return layer, key[:length]
    raise AssertionError(f"no layer gives {key}")


def _has(table: object, key: Key) -> bool:
    for part in key:
        if not isinstance(table, dict) or part not in table:
            return False
        table = table[part]  # pyright: ignore[reportUnknownVariableType]
    return True


def _remove(table: Table, key: Key) -> None:
    for part in key[:-1]:
        table = table[part]
    del table[key[-1]]


def _merge(into: Table, table: Table) -> None:
    for name, value in table.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            into[name] = dict(value) if isinstance(value, dict) else value  # pyright: ignore[reportUnknownArgumentType]


def _as_table(table: dict[object, object]) -> Table:
    return {str(name): _as_table(value) if isinstance(value, dict) else value for name, value in table.items()}  # pyright: ignore[reportUnknownArgumentType]


def _line_of(text: str, key: Key) -> int:
    """The line, from 1, on which a key of ``[settings]`` is given; 0 when it is not found."""
    table = re.compile(r"\s*\[([^\[\]]+)\]")
    entry = re.compile(rf"\s*(?:[\w.\"-]+\.)?\"?{re.escape(key[-1])}\"?\s*=")
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if found := table.match(line):
            inside = found.group(1).strip().split(".")[0] == "settings"
            if found.group(1).strip().split(".")[-1] == key[-1]:
                return number
        elif inside and entry.match(line):
            return number
    return 0
