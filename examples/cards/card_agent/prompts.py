"""Reads what people type: `key=value&...` prompts, and edits of a draft in plain words."""

import re

FIELDS = ("name", "title", "company", "phone", "email")
_EDIT = re.compile(rf"\b({'|'.join(FIELDS)})\b\s*(?:to|is|=|:)\s*(.+)", re.IGNORECASE)
_GREETING = re.compile(r"(hi|hello|hey|good (morning|evening))\b", re.IGNORECASE)


def read_prompt(text: str) -> dict[str, str]:
    """Split `action=...&key=value`; empty when the text is no such prompt. Nothing is percent-decoded."""
    if not text.startswith("action="):
        return {}
    pairs = (part.partition("=") for part in text.split("&"))
    return {key.strip(): value.strip() for key, _, value in pairs}


def read_edit(text: str) -> tuple[str, str]:
    """Read the field and value of `Change the title to X` or `title=X`; anything else is a note."""
    found = _EDIT.search(text)
    return (found[1].lower(), found[2].strip().rstrip(".")) if found else ("note", text.strip())


def is_greeting(text: str) -> bool:
    """Tell whether the text only opens a conversation."""
    return _GREETING.match(text.strip()) is not None
