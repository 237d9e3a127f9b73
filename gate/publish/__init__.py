"""One surface a file, each a pure function from `Report` to text; `terminal` has what is printed."""

from gate.publish import comment, junit, summary
from gate.publish.sink import Sink

SINKS: dict[str, Sink] = {
    "comment": Sink(file="comment.md", render=comment.render),
    "junit": Sink(file="junit.xml", render=junit.render),
    "summary": Sink(file="summary.md", render=summary.render),
}
