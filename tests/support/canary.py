"""A secret that must be nowhere, in the forms in which it could be."""

import base64
import json
from urllib.parse import quote

CANARY = 'cAnary-77+Secret&"quoted"Zz9x'
HALVES = (CANARY[:14], CANARY[-14:])
WRITTEN = (
    *HALVES,
    quote(CANARY, safe="")[:16],
    json.dumps(CANARY)[1:-1],
    base64.b64encode(CANARY.encode()).decode()[:24],
    base64.b64encode(f"user:{CANARY}".encode()).decode()[8:32],
    base64.urlsafe_b64encode(CANARY.encode()).decode()[:24],
)


def holds_nothing(what: str, text: str) -> None:
    for form in WRITTEN:
        where = text.find(form)
        assert where < 0, f"{what}: …{text[max(0, where - 150) : where + 60]}…"
