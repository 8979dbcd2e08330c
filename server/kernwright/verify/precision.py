"""Is the candidate less accurate than the original, and does it look like a narrower type inside?"""

from __future__ import annotations

from kernwright.verify.compare import ErrorRecord

LESS_ACCURATE = 2.0
"""An error of more than this times the original's is named."""
NARROWER = 100.0
_NARROW_DIGITS = {"half precision or tf32": 11, "bfloat16": 8}


def accuracy_notes(record: ErrorRecord) -> list[str]:
    """Sentences for the offer; empty where the candidate is as accurate as the original."""
    original, candidate = record.original_vs_reference, record.candidate_vs_reference
    if original is None or candidate is None or not record.digits:
        return []
    # An original that happened to be exact is still known to its last digit only.
    floor = max(original, 2.0**-record.digits)
    ratio = candidate / floor
    if ratio <= LESS_ACCURATE:
        return []
    notes = [f"less accurate: largest relative error {candidate:.1e}, the original's {original:.1e}"]
    if ratio >= NARROWER:
        likely = next(
            (name for name, digits in _NARROW_DIGITS.items() if record.digits > digits
             and 2.0 ** -(digits + 4) <= candidate <= 2.0 ** -(digits - 3)), "a narrower type",
        )  # fmt: skip
        notes.append(f"computes in a lower precision than the original: {ratio:.0f} times its error, as of {likely}")
    return notes
