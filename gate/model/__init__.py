"""The shared words as frozen dataclasses, and what follows from them; standard library only."""

from typing import TypeAlias

Json: TypeAlias = object
"""A JSON value: None, bool, int, float, str, or a list or str-keyed dict of these; narrow it before use."""
