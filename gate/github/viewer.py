"""Under which login a token writes: what the comments of a pull request are matched against."""

from collections.abc import Mapping

from gate.github.api import Api
from gate.github.errors import BadToken, GitHubError

ACTIONS = "github-actions[bot]"


async def login(api: Api, graphql_url: str) -> str:
    """The login that GitHub will show as the author of what this token writes; raises BadToken.

    GraphQL's `viewer` knows it for every kind of token. `GET /user` refuses the job's own token and an app's,
    so it is asked only where GraphQL does not answer, and its refusal then stands for the job's own token.
    """
    try:
        data = await api.graphql(graphql_url, "query { viewer { login } }")
        viewer = data.get("viewer") if isinstance(data, Mapping) else None
        if isinstance(viewer, Mapping) and isinstance(found := viewer.get("login"), str) and found:
            return found
    except BadToken:
        raise
    except GitHubError:
        pass
    return await _user(api)


async def _user(api: Api) -> str:
    try:
        user = await api.get("/user", needs="")
    except BadToken:
        raise
    except GitHubError:
        return ACTIONS
    found = user.get("login") if isinstance(user, Mapping) else None
    return found if isinstance(found, str) and found else ACTIONS
