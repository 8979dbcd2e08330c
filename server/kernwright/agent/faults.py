"""What can go wrong between us and a model, as a value: ``Fault``, one line for a person, and whether to try again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """Why a call gave no answer. ``line`` is what a person reads. ``retry`` tells that a further try may go well,
    after ``wait`` seconds where the service said so."""

    line: str
    retry: bool = False
    wait: float | None = None


def of_status(status: int, words: str, wait: float | None, where: str) -> Fault:
    """The fault of an answer with an error's status. ``words`` is what the service said, ``where`` its address."""
    said = f": {words}" if words else ""
    match status:
        case 401 | 403:
            return Fault(
                f"the key was refused by {where} ({status}{said}); set ANTHROPIC_API_KEY to one that is valid"
            )
        case 404:
            return Fault(f"{where} does not know this model or address (404{said}); see model.name and model.base_url")
        case 402:
            return Fault(f"{where} asks for payment (402{said})")
        case 413:
            return Fault(f"the kernel and what was found of it are too long for {where} (413{said})")
        case 408 | 409:
            return Fault(f"{where} could not take the call ({status}{said})", True, wait)
        case 429:
            return Fault(f"{where} limits how often it is called (429{said})", True, wait)
        case 529:
            return Fault(f"{where} is overloaded (529{said})", True, wait)
        case _ if status >= 500:
            return Fault(f"{where} has an error of its own ({status}{said})", True, wait)
        case _:
            return Fault(f"{where} refused the call ({status}{said})")
