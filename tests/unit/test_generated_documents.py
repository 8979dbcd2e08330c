"""What ``make docs`` writes is what stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernwright.contract_words import vocabulary_tables
from kernwright.lsp import ext, ext_messages
from kernwright.lsp.protocol_text import direction_of, protocol_text
from kernwright.rules.documents import with_part

TOP = Path(__file__).parents[2]
REMEDY = "run make docs"


def test_the_page_on_contracts() -> None:
    page = (TOP / "docs" / "contract.md").read_text()
    assert with_part(page, "vocabulary", vocabulary_tables()) == page, REMEDY
    assert with_part(page, "vocabulary", "other\n") != page


def test_the_extension_s_protocol() -> None:
    assert (TOP / "extension" / "src" / "protocol.ts").read_text() == protocol_text(), REMEDY


def test_every_message_is_there_with_its_fields() -> None:
    text = protocol_text()
    for method, kind in ext.NOTIFICATIONS.items():
        assert f'"{method}"' in text
        body = re.search(rf"export interface {kind.__name__} \{{\n(.*?)\n\}}", text, re.DOTALL)
        assert body is not None
        assert re.findall(r"readonly (\w+):", body[1]) == list(kind.__dataclass_fields__)
    assert "readonly utility: number | null;" in text
    assert "readonly offers: readonly OfferItem[];" in text
    assert text.index("interface OfferItem") < text.index("interface OffersParams")


def test_each_message_goes_one_way() -> None:
    said = {kind: direction_of(kind) for kind in ext.NOTIFICATIONS.values()}
    assert said[ext_messages.TrustParams] == "client to server"
    assert said[ext_messages.OffersParams] == "server to client"


def test_a_message_that_does_not_say_its_way_is_refused() -> None:
    @dataclass(frozen=True)
    class Silent:
        """What is said here, nobody says to whom."""

        value: int

    with pytest.raises(ValueError, match="who says it to whom"):
        direction_of(Silent)
