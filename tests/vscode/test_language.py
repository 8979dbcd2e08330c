"""VS Code in Simplified Chinese: what the extension and the server say is in it as well."""

from __future__ import annotations

import json
import re
from zipfile import ZipFile

import pytest

from .expectations import check, needs_compiler
from .host import Ground
from .install import TOP
from .kernels import DOT
from .story import Scene, Story

pytestmark = [pytest.mark.editor, needs_compiler]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
MANIFEST = {**json.loads((TOP / "extension" / "package.nls.zh-cn.json").read_text(encoding="utf-8"))}
PACK = {
    "name": "language-pack",
    "publisher": "tests",
    "version": "1.0.0",
    "engines": {"vscode": "*"},
    "contributes": {
        "localizations": [
            {
                "languageId": "zh-cn",
                "languageName": "Chinese Simplified",
                "localizedLanguageName": "中文(简体)",
                "translations": [{"id": "vscode", "path": "./main.i18n.json"}],
            }
        ]
    },
}


def install_language_pack(ground: Ground) -> None:
    """A language pack without a word of VS Code's own: it is enough to make the display language another."""
    pack = ground.folder / "language-pack.vsix"
    with ZipFile(pack, "w") as archive:
        archive.writestr("extension/package.json", json.dumps(PACK))
        archive.writestr("extension/main.i18n.json", json.dumps({"version": "1.0.0", "contents": {}}))
    ground.install(pack)


SCENE = Scene({"dot.c": DOT}, locale="zh-cn", prepare=install_language_pack)


def test_commands_and_settings_are_named_in_chinese(story: Story) -> None:
    window = story.window
    window.open_file("dot.c")
    check(window, lenses="dot")
    window.press("F1")
    window.type(MANIFEST["command.optimize"])
    check(window, picks=MANIFEST["command.optimize"])
    window.press("Escape")


def test_the_extension_speaks_chinese(story: Story) -> None:
    check(story.window, status=lambda items: any("Kernwright" in item and CHINESE.search(item) for item in items))


def test_the_server_speaks_chinese(story: Story) -> None:
    check(story.window, lenses=CHINESE)
    story.window.go_to(16, 22)
    check(story.window, lenses=CHINESE)
