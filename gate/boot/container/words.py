"""What to say about a container that did not come up."""

from typing import Final

OPEN_AFTER_ALL: Final = (
    "`egress: none` cannot be held here: the engine is in another machine, so that the agent's port has to be"
    " published, and its network is open. Run the gate in a container of that engine (the Docker action does"
    " it), or write `egress: open` to say that this is meant."
)
NOT_STARTED: Final = "Correct `boot.command` and `boot.cwd`; both are looked for inside the image."
_NETWORK: Final = (
    *("name resolution", "name or service", "getaddrinfo", "unreachable", "enotfound", "eai_again"),
    *("connection error", "connecterror"),
)
_HINTS: Final = (
    (
        ("read-only file system", "readonly", "erofs"),
        (
            "Its files are read-only: write to `{tmp}`, name folders in `tmpfs: {/path: 64m}`, or set"
            " `read_only: false`."
        ),
    ),
    (("no space left",), "Its folders in memory are full: `tmpfs: {/tmp: 1g}` makes /tmp larger."),
    (
        ("permission denied", "operation not permitted"),
        "It runs as an ordinary user without capabilities: see `user` and `capabilities`.",
    ),
)


def hints(tail: str, *, internal: bool) -> list[str]:
    """What the last lines of a log say about what is held back from the agent, and how to let it have it."""
    low = tail.lower()
    found = [hint for words, hint in _HINTS if any(word in low for word in words)]
    if internal and any(word in low for word in _NETWORK):
        found.append("It reaches no network but the gate: `egress: open` lets it out.")
    return found
