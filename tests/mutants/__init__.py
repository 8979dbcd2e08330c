"""Mutants of accepted candidates: how many wrong rewrites does verification let through?"""
