"""Settings: the layers, what is said of values that are not valid, and who may say what."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from kernwright.settings import BadSettings, Loaded, load_settings


def check(
    folder: Path,
    *,
    user: str = "",
    workspace: str = "",
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    settings_file: str = "",
) -> Loaded:
    config = platformdirs.user_config_path("kernwright")
    if user:
        config.mkdir(parents=True, exist_ok=True)
        (config / "kernwright.toml").write_text(user)
    (folder / "kernwright.toml").write_text(workspace)
    named = None
    if settings_file:
        named = folder / "named.toml"
        named.write_text(settings_file)
    return load_settings(folder, environment=environment or {}, flags=flags, settings_file=named)


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_later_layers_win(tmp_path: Path) -> None:
    layers: dict[str, Any] = {
        "user": "[settings]\nrounds = 1",
        "workspace": "[settings]\nrounds = 2",
        "environment": {"KERNWRIGHT_ROUNDS": "3"},
        "settings_file": "[settings]\nrounds = 4",
        "flags": {"rounds": 5},
    }
    for count in range(1, len(layers) + 1):
        folder = tmp_path / str(count)
        folder.mkdir()
        loaded = check(folder, **dict(list(layers.items())[:count]))
        assert (loaded.settings.rounds, loaded.problems) == (count, ())


def test_no_layer_gives_the_defaults(tmp_path: Path) -> None:
    settings = check(tmp_path, flags={"rounds": None}).settings
    assert settings.rounds == 30
    assert settings.memory.learning_rate == 0.2
    assert settings.cache.is_absolute() and settings.data.is_absolute()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[settings]\n\nrounds = 0",
            "kernwright.toml:3: rounds: input should be greater than or equal to 1; left aside",
        ),
        ("[settings]\nroudns = 3", "kernwright.toml:2: roudns: no such setting; do you mean rounds?; left aside"),
        ("[settings]\nmemory = 3", "kernwright.toml:2: memory: "),
        ("[settings.memory]\nalpha = 3", "kernwright.toml:2: memory.alpha: no such setting; left aside"),
        ("[settings]\nrounds = ", "kernwright.toml: Invalid value at its end; its settings are left aside"),
        ("settings = 3", "kernwright.toml:1: settings is a table: write [settings] on a line of its own; left aside"),
        ("[settings]\ndata = '/x'", "kernwright.toml:2: data: only the user's own settings may say this; left aside"),
        ("[settings]\nallow_weak_sandbox = true", "allow_weak_sandbox: only the user's own settings may say this"),
        ("[settings]\nallowed_compilers = ['x']", "allowed_compilers: only the user's own settings may say this"),
    ],
)
def test_a_value_that_is_not_valid_is_said_with_its_place_and_left_aside(tmp_path: Path, text: str, said: str) -> None:
    loaded = check(tmp_path, user="[settings]\njobs = 7", workspace=text)
    assert len(loaded.problems) == 1
    assert said in loaded.problems[0]
    assert "\n" not in loaded.problems[0]
    # What is valid beside it still counts, and the layer below decides.
    assert loaded.settings.jobs == 7
    assert loaded.settings.rounds == 30


def test_the_layer_below_a_value_at_fault_decides(tmp_path: Path) -> None:
    loaded = check(tmp_path, user="[settings]\nrounds = 9", workspace="[settings]\nrounds = -1\njobs = 3")
    assert (loaded.settings.rounds, loaded.settings.jobs) == (9, 3)


def test_environment_variables(tmp_path: Path) -> None:
    environment = {
        "KERNWRIGHT_DEFAULT_FLAGS": "-O2 -g",
        "KERNWRIGHT_MEMORY_HALF_LIFE": "3.5",
        "KERNWRIGHT_RULES": "one -two",
        "KERNWRIGHT_USE_CACHE": "false",
        "KERNWRIGHT_DEBUG": "find,verify",
        "KERNWRIGHT_ROUND": "1",
        "PATH": "/bin",
    }
    loaded = check(tmp_path, environment=environment)
    settings = loaded.settings
    assert settings.default_flags == ("-O2", "-g")
    assert settings.memory.half_life == 3.5
    assert settings.rules == {"one": True, "two": False}
    assert settings.use_cache is False
    assert settings.debug == ("find", "verify")
    assert loaded.problems == ("KERNWRIGHT_ROUND: no such setting; do you mean KERNWRIGHT_ROUNDS?",)


def test_an_unusable_settings_file_or_flag_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"named\.toml:2: rounds: input should be"):
        check(tmp_path, settings_file="[settings]\nrounds = 'many'")
    with pytest.raises(BadSettings, match="command line: rounds"):
        check(tmp_path, flags={"rounds": 0})
    with pytest.raises(BadSettings, match="no such file; name a TOML file"):
        load_settings(tmp_path, environment={}, settings_file=tmp_path / "none.toml")


def test_the_workspace_is_the_nearest_marked_folder(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / ".git").mkdir()
    assert load_settings(inner, environment={}).workspace == tmp_path / "a"
    (tmp_path / "kernwright.toml").write_text("[settings]\nrounds = 3")
    loaded = load_settings(inner, environment={})
    assert (loaded.workspace, loaded.settings.rounds) == (tmp_path, 3)
