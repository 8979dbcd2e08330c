"""Modules here are found from the folder of all tests, as the bench finds them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
