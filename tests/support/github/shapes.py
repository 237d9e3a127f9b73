"""What GitHub answers with: the smallest example that its description accepts, and over it what is known."""

from typing import Any

from tests.support.github.openapi import Description
from tests.support.github.state import State

Shape = dict[str, Any]
WHEN = "2026-11-30T07:00:00Z"


class Shapes:
    """Renders the state's entries as one edition of the API describes them."""

    def __init__(self, description: Description, state: State, base: str) -> None:
        self._of = description
        self._state = state
        self._base = base

    def user(self, login: str) -> Shape:
        kind = "Bot" if login.endswith("[bot]") else "User"
        return self._of.component("simple-user") | {"login": login, "type": kind}

    def comment(self, entry: State) -> Shape:
        repository = self._state["repository"]
        page = f"https://github.example/{repository}/pull/{entry['pull']}#issuecomment-{entry['id']}"
        return self._of.component("issue-comment") | {
            "id": entry["id"],
            "body": entry["body"],
            "user": self.user(entry["author"]),
            "html_url": page,
            "url": f"{self._base}/repos/{repository}/issues/comments/{entry['id']}",
            "created_at": WHEN,
            "updated_at": WHEN,
        }

    def pull(self, number: int, component: str = "pull-request") -> Shape:
        entry = self._state["pulls"][str(number)]
        made = self._of.component(component)
        side = {
            name: made[name]
            | {"ref": entry[f"{name}_ref"], "sha": entry[name]}
            | {"repo": self._repository(made[name]["repo"], name, entry)}
            for name in ("head", "base")
        }
        counted = {"commits": entry["commits"]} if "commits" in made else {}
        return made | {
            "number": number,
            "title": entry.get("title", "a change"),
            "body": entry.get("body"),
            "html_url": f"https://github.example/{self._state['repository']}/pull/{number}",
            "state": entry["state"],
            "merged_at": entry["merged_at"],
            "locked": entry["locked"],
            "user": self.user(entry["author"]),
            "labels": [self.label(name) for name in entry["labels"]],
            **side,
            **counted,
        }

    def _repository(self, made: Shape | None, side: str, entry: State) -> Shape:
        name = entry["head_repository"] if side == "head" else self._state["repository"]
        owner = self.user(name.partition("/")[0])
        whole = made or self._of.component("repository")
        return whole | {"full_name": name, "name": name.partition("/")[2], "owner": owner}

    def repository(self) -> Shape:
        name = self._state["repository"]
        return self._of.component("full-repository") | {
            "full_name": name,
            "name": name.partition("/")[2],
            "owner": self.user(name.partition("/")[0]),
            "default_branch": self._state["default_branch"],
        }

    def label(self, name: str) -> Shape:
        return self._of.component("label") | {"name": name, "description": ""}

    def event(self, entry: State) -> Shape:
        """A label's event, or one of the many kinds that have nothing but what all have in common."""
        labels = entry["event"] in ("labeled", "unlabeled")
        made = self._of.component(f"{entry['event']}-issue-event" if labels else "issue-event")
        app = entry.get("app")
        return made | {
            "id": entry["id"],
            "event": entry["event"],
            "actor": self.user(entry["actor"]),
            "created_at": entry.get("at", WHEN),
            "performed_via_github_app": self._of.component("integration") | {"slug": app} if app else None,
            **({"label": {"name": entry["label"], "color": "ededed"}} if labels else {}),
        }

    def review(self, entry: State) -> Shape:
        return self._of.component("pull-request-review") | {
            "id": entry["id"],
            "user": self.user(entry["author"]),
            "state": entry["state"],
            "commit_id": entry["commit"],
            "submitted_at": entry.get("at", WHEN),
            "author_association": entry.get("association", "NONE"),
        }

    def activity(self, entry: State) -> Shape:
        return self._of.component("activity") | {
            "ref": f"refs/heads/{entry['branch']}",
            "after": entry["after"],
            "timestamp": entry["at"],
            "activity_type": entry.get("type", "push"),
            "actor": self.user(entry["actor"]),
        }

    def comparison(self, commits: list[State]) -> Shape:
        made, parent = self._of.component("commit"), {"url": "https://github.example/commit"}
        listed = [
            made | {"sha": each["sha"], "parents": [parent | {"sha": sha} for sha in each["parents"]]}
            for each in commits
        ]
        counted = {"status": "ahead", "ahead_by": len(listed), "behind_by": 0, "total_commits": len(listed)}
        return self._of.component("commit-comparison") | counted | {"commits": listed}

    def run(self, entry: State) -> Shape:
        return self._of.component("workflow-run") | {
            "id": entry["id"],
            "run_attempt": entry.get("attempt", 1),
            "head_sha": entry["head"],
            "event": entry.get("event", "pull_request"),
            "created_at": entry.get("at", WHEN),
            "path": entry.get("path", ".github/workflows/agent-gate.yml"),
        }
