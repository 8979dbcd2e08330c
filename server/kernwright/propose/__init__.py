"""Rewrites that might be faster. A proposer makes ``Candidate``s and claims nothing: only verification says whether
one is right and faster."""
