"""The steps of the workflow as functions from session state and input to one event each.

Every step emits an event, because a node that emits none can't be seen from outside. The draft is kept in
flat state keys (`draft_card.title`): branches that run in parallel would overwrite each other's dictionary.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from google.adk.agents.context import Context
from google.adk.events.event import Event
from google.adk.events.request_input import RequestInput
from google.genai import types

from . import directory, prompts
from .switches import broken

HELP = "Hello! I can read a business card, search your cards and draft an ice-breaker e-mail."


def route_prompt(node_input: Any) -> Event:  # noqa: ANN401 with `str` in the hint, ADK would hide who spoke
    """Choose a path; a prompt in plain words goes to the model first, and comes back as key=value text."""
    from_model = not isinstance(node_input, types.Content)
    text = str(node_input) if from_model else _text(node_input)
    asked = prompts.read_prompt(text)
    fallback = "greet" if from_model or prompts.is_greeting(text) else "understand"
    action = asked.get("action", fallback)
    route = action if action in {"ingest", "search", "draft", "understand"} else "greet"
    pending = {f"pending_{key}": asked.get(key, "") for key in ("edit", "hitl_action")}
    return _event(
        state={"action": route, "context": asked.get("context", ""), **pending},
        output=text if route == "understand" else asked,
        route=route,
    )


def greet() -> Event:
    """Say what the assistant can do, and do nothing else."""
    return _event(message=HELP)


def vision_ocr(node_input: dict[str, str]) -> Event:
    """Read the card that the prompt names (`card=`), with the raw spelling that a scan has."""
    scan = asdict(directory.SCANS[node_input.get("card", "lin")])
    return _event(state={"ocr": scan}, output=scan)


def clean_and_dedup(node_input: dict[str, str]) -> Event:
    """Bring the fields into normal form and look for the same person in the directory."""
    phone, email = directory.normal_phone(node_input["phone"]), node_input["email"].lower()
    twin = directory.known(phone=phone, email=email)
    draft = {
        "draft_card.name": " ".join(node_input["name"].split()),
        "draft_card.title": node_input["title"],
        "draft_card.email": email,
        "draft_card.phone": phone,
        "draft_card.note": "",
        "IsDuplicate": twin is not None,
        "duplicate": {"id": twin.id, "title": twin.title} if twin else {},
    }
    if broken("state"):
        del draft["draft_card.phone"]
    return _event(state=draft, output="cleaned")


def company_enrich(node_input: dict[str, str]) -> Event:
    """Look the company up: its registered name and its industry."""
    raw = node_input["company"]
    name, industry = directory.COMPANIES.get(raw.lower(), (raw.title(), "unknown"))
    return _event(state={"draft_card.company": name, "draft_card.industry": industry}, output="enriched")


def context_match(context: str) -> Event:
    """Find the event at which the card was handed over."""
    place = directory.EVENTS.get(context.lower(), "")
    return _event(state={"draft_card.context": context, "draft_card.met_at": place}, output="matched")


def build_preview(ctx: Context) -> Event:
    """Show the draft as it stands; `previews` counts on through the session, so each pause has its own id."""
    draft = _draft(ctx)
    twin = ctx.state["duplicate"]
    lines = [f"{field}: {draft[field]}" for field in sorted(draft)]
    if twin:
        lines.append(f"Already known as {twin['id']} ({twin['title']}); saving updates that card.")
    state = {"preview": draft, "previews": ctx.state.get("previews", 0) + 1}
    return _event(message="\n".join(["Preview", *lines]), state=state, output=draft)


def hitl_confirm(ctx: Context, node_input: dict[str, str]) -> Iterator[Event | RequestInput]:
    """Wait for a person unless the prompt carried the answer: confirm, cancel, or an edit in plain words."""
    interrupt = f"confirm-{ctx.state['previews']}"
    key = "pending_edit" if ctx.state["pending_edit"] else "pending_hitl_action"
    answer = ctx.resume_inputs.get(interrupt) or ctx.state[key]
    if not answer:
        yield RequestInput(
            interrupt_id=interrupt,
            message="Save this card? Answer confirm, cancel, or say what to change.",
            payload=node_input,
            response_schema={"type": "string"},
        )
        return
    word = str(answer).strip().lower()
    route = {"confirm": "discard" if broken("confirm") else "save", "cancel": "discard"}.get(word, "edit")
    yield _event(state={"hitl_action": route, key: ""}, output=str(answer), route=route)


def apply_edit(ctx: Context, node_input: str) -> Event:
    """Change one field of the draft and keep what it was before."""
    field, new = prompts.read_edit(node_input)
    new = directory.normal_phone(new) if field == "phone" else new
    old = ctx.state.get(f"draft_card.{field}", "")
    edit = {"field": field, "old": old, "new": new}
    return _event(state={f"draft_card.{field}": new, "last_edit": edit}, output=edit)


def save_card(ctx: Context) -> Event:
    """Save the draft in the session, under the id of the known card or a new one made from the name."""
    draft = _draft(ctx)
    card_id = ctx.state["duplicate"].get("id") or "card-" + draft["name"].lower().replace(" ", "-")
    saved = {**ctx.state.get("saved_cards", {}), card_id: draft}
    state = {"saved_card_id": card_id, "saved_cards": saved}
    return _event(message=f"The card was saved as {card_id}.", state=state)


def discard() -> Event:
    """Drop the draft."""
    return _event(message="The draft was discarded.", state={"discarded": True})


def strict_search(node_input: dict[str, str], action: str, context: str) -> Event:
    """Look for cards that hold the query and the context, both word for word."""
    terms = [term for term in (node_input.get("query", ""), context) if term]
    hits = directory.find(terms, all_of_them=True)
    found = "draft" if action == "draft" else "show"
    return _hits(hits, mode="strict", query=node_input.get("query", ""), route=found if hits else "broad")


def broad_search(node_input: dict[str, Any]) -> Event:
    """Look for cards that hold any word of the query, wherever they were handed over."""
    query = node_input["query"]
    return _hits(directory.find(query.split(), all_of_them=False), mode="broad", query=query, route="show")


def show_hits(node_input: dict[str, Any]) -> Event:
    """List what was found and say how, so that a broad hit isn't taken for an exact one."""
    cards = node_input["cards"]
    lines = [f"- {card['name']}, {card['title']}, {card['company']} ({card['context']})" for card in cards]
    head = f"{len(cards)} found by {node_input['mode']} search" if cards else "No card found"
    return _event(message="\n".join([f"{head} for {node_input['query']!r}.", *lines]))


def _hits(hits: list[directory.Contact], *, mode: str, query: str, route: str) -> Event:
    cards = [{**asdict(card), "topics": list(card.topics)} for card in hits]
    state = {"search_mode": mode, "search_hits": [card.id for card in hits]}
    return _event(state=state, output={"mode": mode, "query": query, "cards": cards}, route=route)


def _event(**fields: Any) -> Event:  # noqa: ANN401 ADK's types don't know its own shorthands state, route, message
    return Event.model_validate(fields)


def _draft(ctx: Context) -> dict[str, str]:
    prefix, state = "draft_card.", ctx.state.to_dict()
    fields = {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
    return {field: value for field, value in fields.items() if value}


def _text(content: types.Content) -> str:
    return "".join(part.text for part in content.parts or [] if part.text)
