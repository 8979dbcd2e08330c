"""Writes the generated parts of the documents anew: the tables of rules, of predicates, and of the contract's words;
and the extension's side of the messages beyond the protocol.
"""

from __future__ import annotations

from pathlib import Path

from kernwright.contract_words import vocabulary_tables
from kernwright.lsp.protocol_text import protocol_text
from kernwright.rules.documents import with_generated_parts, with_part
from kernwright.rules.sources import bundled_rules

TOP = Path(__file__).resolve().parent.parent

for name, prefix in (("README.md", ""), ("rules/README.md", "../")):
    path = TOP / name
    path.write_text(with_generated_parts(path.read_text(), bundled_rules().rules, prefix))

contract = TOP / "docs" / "contract.md"
contract.write_text(with_part(contract.read_text(), "vocabulary", vocabulary_tables()))

protocol = TOP / "extension" / "src" / "protocol.ts"
protocol.parent.mkdir(parents=True, exist_ok=True)
protocol.write_text(protocol_text())
