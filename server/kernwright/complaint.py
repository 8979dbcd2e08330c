"""``Complaint``: what a person can put right. Fronts show its one line, and nothing of where it was raised."""

from __future__ import annotations


class Complaint(Exception):
    """``str()`` is one line: the place, what is wrong, and what to do."""
