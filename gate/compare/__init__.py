"""Baseline, rules, case classes and the verdict: pure functions from data to data."""

from gate.compare.verdict import compare

__all__ = ["compare"]
