"""What is wrong with the names of tracks: each is a metric and a rule of its own."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gate.config.build import JUNIT
from gate.model.case import Case
from gate.model.config import Config
from gate.model.finding import Finding
from gate.score import METRICS


def track_findings(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    """Findings about names that mean something else already, also where a case is called as a test is."""
    taken = {"cases", "agent", *METRICS, *(each.name for each in config.metrics if each.type != JUNIT)}
    times = Counter(track.name for track in config.tracks)
    for track in config.tracks:
        if track.name in taken or times[track.name] > 1:
            other = "another track has it" if times[track.name] > 1 else "it is a metric, `cases` or `agent`"
            what = f"a track cannot be named '{track.name}': {other}"
            why = "Its rule and its line in the report have that name."
            fix = f"name: {track.name}-tests" if times[track.name] == 1 else ""
            yield Finding.error("track-name", track.place, what, why=why, fix=fix)
    for case in cases:
        name, sign, _ = case.id.partition("::")
        if sign and name in times:
            what = f"a test of the track '{name}' can have the id {case.id!r} too"
            why = "What became of the one would be taken for the other's."
            yield Finding.error("case-id", case.place, what, why=why, fix="Rename the case, or the track.")
