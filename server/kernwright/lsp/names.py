"""Names that editors know: of commands, and of kinds of code actions."""

from __future__ import annotations

PROFILE = "kernwright.profile"
OPTIMIZE = "kernwright.optimize"
ACCEPT = "kernwright.accept"
REJECT = "kernwright.reject"
PROMOTE = "kernwright.promote"
DEMOTE = "kernwright.demote"
INSERT_CONTRACT = "kernwright.insertContract"
SHOW_REPORT = "kernwright.showReport"
SHOW_OFFERS = "kernwright.showOffers"
CANCEL = "kernwright.cancel"
COMMANDS = (PROFILE, OPTIMIZE, ACCEPT, REJECT, PROMOTE, DEMOTE, INSERT_CONTRACT, SHOW_REPORT, SHOW_OFFERS, CANCEL)

REWRITE = "refactor.rewrite"
QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.kernwright"

APPLIED = "applied"
"""In the arguments of `ACCEPT`: the editor has made the edit already."""
TOLD = "told"
"""In the arguments of `INSERT_CONTRACT`: the same, with the contract and what it asks."""
