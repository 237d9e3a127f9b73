"""Baseline, rules, case classes and the verdict: pure functions from data to data."""
