"""The agent's life during a run: restarted when it died, but not for ever."""

import logging

from gate.errors import AgentDown
from gate.model.agent import Agent, Death
from gate.model.trace import Crashed

MOST_RESTARTS = 5

_logger = logging.getLogger(__name__)


class Life:
    """Brings the agent back after it died, MOST_RESTARTS times at most; a group's fresh start is free."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._restarts = 0
        self._over: Crashed | None = None

    async def revive(self) -> Crashed | None:
        """Restart the agent if it is dead; returns why it will not live again, or None where it lives."""
        death = self._agent.death()
        if self._over or death is None:
            return self._over
        if self._agent.can_restart and self._restarts < MOST_RESTARTS:
            self._restarts += 1
            # Said at once: a trial that completes when it is run again must not hide this.
            _logger.warning("the agent died and is started again: %s", death.reason)
            await self._restart()
        else:
            self._over = Crashed(reason=f"not run: {self._history()}{obituary(death)}")
        return self._over

    async def renew(self) -> Crashed | None:
        """Give a group its fresh agent where that is possible; returns why there is none, or None."""
        if self._over or not self._agent.can_restart:
            return await self.revive()
        await self._restart()
        return self._over

    async def _restart(self) -> None:
        try:
            await self._agent.restart()
        except AgentDown as error:
            tail = f"; its last lines:\n{error.log_tail}" if error.log_tail else ""
            self._over = Crashed(reason=f"not run: the agent did not come up again: {error.message}{tail}")

    def _history(self) -> str:
        return f"the agent was restarted {self._restarts} times and died again: " if self._restarts else ""


def obituary(death: Death) -> str:
    """How the agent died, with the last lines that it wrote where they say more than the reason does."""
    more = death.log_tail and death.log_tail.strip() not in death.reason
    return f"{death.reason}; its last lines:\n{death.log_tail}" if more else death.reason
