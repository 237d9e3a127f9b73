"""One surface a file, each a pure function from `Report` to text; `terminal` has what is printed."""

from gate.model.verdict import Report
from gate.publish.sink import Sink


# A run names its files before its first request, and fills them after its last: only then they load.
def _comment(report: Report) -> str:
    from gate.publish import comment

    return comment.render(report)


def _junit(report: Report) -> str:
    from gate.publish import junit

    return junit.render(report)


def _summary(report: Report) -> str:
    from gate.publish import summary

    return summary.render(report)


SINKS: dict[str, Sink] = {
    "comment": Sink(file="comment.md", render=_comment),
    "junit": Sink(file="junit.xml", render=_junit),
    "summary": Sink(file="summary.md", render=_summary),
}
