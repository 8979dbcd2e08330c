"""Secrets are not sent: what looks like a key, a password or a token is replaced by a placeholder.

A text that comes back gets its secrets again, so that a candidate which kept a line keeps all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_KEYS = (
    r"sk-[A-Za-z0-9_-]{16,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_\w{20,}",
    r"glpat-[\w-]{16,}",
    r"xox[abprs]-[A-Za-z0-9-]{10,}",
    r"AIza[\w-]{30,}",
    r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
    r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)",
)
_SECRET = re.compile("|".join(_KEYS))
_ASSIGNED = re.compile(
    r"(?i)\b\w*(?:passw(?:or)?d|secret|api_?key|access_?key|auth_?token|private_?key)\w*\s*(?:\[\s*\d*\s*\]\s*)?"
    r"""(?:=|:|\s)\s*["'](?P<value>[^"'\n]{6,})["']"""
)
_PLACEHOLDER = "[secret-{number}]"


@dataclass
class Scrubber:
    """Replaces secrets, and knows them again. ``known`` are secrets by value: the key that calls are made with."""

    known: Sequence[str] = ()
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def scrubbed(self, text: str) -> str:
        for secret in self.known:
            if secret and secret in text:
                text = text.replace(secret, self._placeholder(secret))
        text = _SECRET.sub(lambda found: self._placeholder(found[0]), text)
        return _ASSIGNED.sub(lambda found: found[0].replace(found["value"], self._placeholder(found["value"])), text)

    def restored(self, text: str) -> str:
        """A text of the model with the secrets where their placeholders are."""
        for secret, number in self._numbers.items():
            text = text.replace(_PLACEHOLDER.format(number=number), secret)
        return text

    def _placeholder(self, secret: str) -> str:
        if re.fullmatch(r"\[secret-\d+\]", secret):
            return secret
        return _PLACEHOLDER.format(number=self._numbers.setdefault(secret, len(self._numbers) + 1))
