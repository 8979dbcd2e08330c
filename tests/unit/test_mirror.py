"""The mirror says of an edited text what a fresh analysis of the same text says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from mirror_texts import C_TEXT, CPP_TEXT, TOML_TEXT, fresh_rows, mirrored_rows, random_edit

from kernwright.mirror.analyse import Analyser
from kernwright.mirror.document import MirroredDocument
from kernwright.rules.sources import bundled_rules
from kernwright.text import LineIndex, Snapshot
from kernwright.workspace_toml import WorkspaceFile, read_workspace_file

RULES = bundled_rules().rules
FOLDER = Path("/nowhere")
WORKSPACE = read_workspace_file(Snapshot(FOLDER / "kernwright.toml", TOML_TEXT))
TEXTS = {"sample.c": C_TEXT, "sample.cpp": CPP_TEXT, "sample.h": CPP_TEXT}


def check(name: str, seed: int, steps: int, workspace: WorkspaceFile | None = None) -> None:
    """Edit a text at random: after each step the mirror's findings are those of a fresh analysis."""
    rng = random.Random(seed)
    document = MirroredDocument(FOLDER / name, TEXTS[name])
    analyser = Analyser(RULES)
    for step in range(steps):
        if step % 24 == 0:
            document.replace(TEXTS[name], step)
        else:
            document.edit([random_edit(rng, document.data) for _ in range(rng.choice((1, 1, 1, 2, 3)))], step)
        where = f"{name}, seed {seed}, step {step}"
        assert document.lines.starts == list(LineIndex(document.data).starts), where
        analysed = analyser.analyse(document, workspace)
        assert analysed is not None
        assert analysed.problem is None, where
        assert analysed.version == step
        assert mirrored_rows(analysed) == fresh_rows(document.path, document.data, RULES, workspace), where


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", TEXTS)
def test_an_edited_text_is_analysed_like_a_fresh_one(name: str, seed: int) -> None:
    check(name, seed, 50)


def test_contracts_of_the_workspace_file_are_a_part_of_it() -> None:
    check("sample.c", 11, 60, WORKSPACE)
