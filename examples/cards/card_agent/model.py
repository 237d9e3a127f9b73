"""A model without a network: it answers the two prompts of this agent by rule, always the same way."""

import json
import re
from collections.abc import AsyncGenerator

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from .switches import broken

UNDERSTAND = "Rewrite the request as action=...&query=...&context=... and nothing else."
DRAFT = "Write a short ice-breaker e-mail to the first card. Use the facts given and no others."

_MET = re.compile(r"\b(?:at|from) (?:the )?(20\d\d [A-Z]\w+(?: [A-Z]\w+)*)")
_PERSON = re.compile(r"\bto ([A-Z][\w-]+(?: [A-Z][\w-]+)*)")
_ABOUT = re.compile(r"(?i:\b(?:about|for|who knows?) (.+?)(?: (?:at|from) |[.?!]|$))")


class ScriptedModel(BaseLlm):
    """Stands in for a hosted model; with `CARDS_BREAK=quota` it answers as one whose quota is used up."""

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002, FBT001, FBT002 the signature is ADK's
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the one answer to the last text in the request, with token counts by words."""
        if broken("quota"):
            yield LlmResponse(error_code="RESOURCE_EXHAUSTED", error_message="Quota exceeded for scripted-1.")
            return
        asked = _last_text(llm_request)
        system = str(llm_request.config.system_instruction or "")
        yield _response(asked, _draft(asked) if DRAFT in system else _understand(asked))


def _last_text(request: LlmRequest) -> str:
    texts = (part.text for content in request.contents for part in content.parts or [] if part.text)
    return list(texts)[-1]


def _response(asked: str, answer: str) -> LlmResponse:
    sent, made = len(asked.split()), len(answer.split())
    return LlmResponse(
        content=types.Content(role="model", parts=[types.Part(text=answer)]),
        finish_reason=types.FinishReason.STOP,
        model_version="scripted-1",
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=sent, candidates_token_count=made, total_token_count=sent + made
        ),
    )


def _understand(text: str) -> str:
    met, person, about = _MET.search(text), _PERSON.search(text), _ABOUT.search(text)
    context = f"&context={met[1]}" if met else ""
    if person and re.search(r"draft|write|e-?mail", text, re.IGNORECASE):
        return f"action=draft&query={person[1]}{context}"
    if about:
        return f"action=search&query={about[1]}{context}"
    return "action=unknown"


def _draft(facts: str) -> str:
    card = json.loads(facts)["cards"][0]
    return (
        f"Dear {card['name']},\n\nit was good to meet you at the {card['context']}. "
        f"I would like to hear how {card['company']} approaches {card['topics'][-1]}.\n\nBest regards"
    )
