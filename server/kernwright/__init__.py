"""Kernwright: verified, measured rewrites for compute kernels.

The package is one way of a kernel through a row of modules; ``server/ARCHITECTURE.md`` has the map.
"""

__version__ = "0.1.0"
