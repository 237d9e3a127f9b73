"""What a conversation waits for, where the API takes all answers together and nothing else before them."""

import json
from collections.abc import Iterable, Sequence

from gate.drive.protocol import Stopped
from gate.frozen import frozen
from gate.model import Json
from gate.model.case import Answer, Answers, User
from gate.model.derived import described, is_named
from gate.model.trace import Event, Pause, Paused, Result


@frozen(kw_only=False)
class Given:
    """A pause and the case's answer to it."""

    pause: Pause
    answer: Answer

    @property
    def value(self) -> Json:
        """What is sent for it: the value, or the decision as a word."""
        answer = self.answer
        return answer.decision if answer.value is None and answer.decision != "input" else answer.value

    @property
    def text(self) -> str:
        """The value as text; what is no text becomes JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)


class Waiting:
    """The open pauses of one conversation, and the answers that were given until all are answered."""

    def __init__(self) -> None:
        self._open: dict[str, Pause] = {}
        self._given: list[Given] = []

    def hear(self, events: Iterable[Event]) -> None:
        """Note what events ask for; a result closes the pause of its call."""
        for event in events:
            self._open |= {pause.id: pause for pause in event.pauses}
            for part in event.parts:
                if isinstance(part, Result):
                    self._open.pop(part.call_id, None)

    def take(self, sent: User | Answers) -> Sequence[Given] | None:
        """All answers once none is lacking, nothing for a user's message; None while some are lacking.

        Raises Stopped where a message comes instead of answers, or answers what nobody asked.
        """
        if isinstance(sent, User):
            if self._open:
                reason = f"the agent waits for {self._described()}; the next turn gives no answer to it"
                raise Stopped(Paused(reason=reason))
            return ()
        self._match(sent)
        if self._open:
            return None
        given, self._given = self._given, []
        return given

    def _match(self, sent: Answers) -> None:
        waiting = list(self._open.values())
        unused = [
            answer.to for answer in sent.answers if not any(is_named(pause, [answer.to]) for pause in waiting)
        ]
        if unused:
            words = f"the agent waits for {self._described()}; the case answers "
            raise Stopped(Paused(reason=words + ", ".join(map(repr, unused))))
        by_name = {answer.to: answer for answer in sent.answers}
        for pause in waiting:
            answer = by_name.get(pause.id) or by_name.get(pause.tool) or by_name.get(pause.name)
            if answer:
                self._given.append(Given(pause, answer))
                del self._open[pause.id]

    def _described(self) -> str:
        return described(tuple(self._open.values())) or "nothing"
