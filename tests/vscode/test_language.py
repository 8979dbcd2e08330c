"""VS Code in Simplified Chinese: what the extension and the server say is in it as well."""

from __future__ import annotations

import json
import re

import pytest

from .expectations import check, needs_compiler
from .host import Ground
from .install import TOP
from .kernels import DOT
from .story import Scene, Story

pytestmark = [pytest.mark.editor, pytest.mark.slow, needs_compiler]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
COMMANDS = json.loads((TOP / "extension" / "package.nls.zh-cn.json").read_text(encoding="utf-8"))


def speak_chinese(ground: Ground) -> None:
    """What a language pack leaves: the display language is another, and VS Code's own words are as before."""
    ground.prepare()
    words = ground.folder / "words.json"
    words.write_text(json.dumps({"version": "1.0.0", "contents": {}}))
    pack = {
        "hash": "tests",
        "label": "中文(简体)",
        "extensions": [{"extensionIdentifier": {"id": "tests.language-pack"}, "version": "1.0.0"}],
        "translations": {"vscode": str(words)},
    }
    (ground.user / "languagepacks.json").write_text(json.dumps({"zh-cn": pack}), encoding="utf-8")


SCENE = Scene({"dot.c": DOT}, locale="zh-cn", prepare=speak_chinese)


def test_commands_and_settings_are_named_in_chinese(story: Story) -> None:
    window = story.window
    window.open_file("dot.c")
    check(window, lenses="dot")
    window.press("F1")
    window.type(COMMANDS["command.optimize"])
    check(window, picks=COMMANDS["command.optimize"])
    window.press("Escape")


def test_the_extension_speaks_chinese(story: Story) -> None:
    check(story.window, status=lambda items: any("Kernwright" in item and CHINESE.search(item) for item in items))


def test_the_server_speaks_chinese(story: Story) -> None:
    check(story.window, lenses=CHINESE)
    story.window.go_to(16, 22)
    check(story.window, lenses=CHINESE)
