"""What a judge may cost in one run, and what it has cost so far."""

from typing import Final

from gate.judge.answers import Failed, Reply
from gate.model.judge import JudgeBudget, Price

_CHARACTERS_A_TOKEN: Final = 3
"""Where an endpoint reports no usage; a little more than any usual text has, so that no budget is overrun."""
_MILLION: Final = 1_000_000


class Tab:
    """What one metric's questions took: requests, retries included, their tokens, and money where priced."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0
        self.money = 0.0


class Purse:
    """Pays each call. Calls that run side by side may overrun a budget of tokens or money by their own."""

    def __init__(self, budget: JudgeBudget, price: Price | None) -> None:
        self._budget = budget
        self._price = price
        self.calls = 0
        self.tokens = 0
        self.money = 0.0

    def take(self, tab: Tab) -> None:
        """Count one more call; raises Failed where there is nothing left for it."""
        budget = self._budget
        if budget.calls is not None and self.calls >= budget.calls:
            raise _spent(f"{self.calls} of {budget.calls} calls")
        if budget.tokens is not None and self.tokens >= budget.tokens:
            raise _spent(f"{self.tokens} of {budget.tokens} tokens")
        if budget.money is not None and self.money >= budget.money:
            raise _spent(f"{self.money:.2f} of {budget.money:g} in money")
        self.calls += 1
        tab.calls += 1

    def pay(self, sent: str, reply: Reply, tab: Tab) -> None:
        """Count what a call used, estimated where the endpoint does not say."""
        given, got = reply.input_tokens, reply.output_tokens
        given = len(sent) // _CHARACTERS_A_TOKEN if given is None else given
        got = len(reply.text) // _CHARACTERS_A_TOKEN if got is None else got
        self.tokens += given + got
        tab.tokens += given + got
        if self._price:
            money = (given * self._price.input + got * self._price.output) / _MILLION
            self.money += money
            tab.money += money


def _spent(what: str) -> Failed:
    return Failed(f"its budget is spent ({what})", again=False)
