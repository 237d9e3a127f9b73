"""What a surface promises: a pure function from a report to the text of one file."""

from collections.abc import Callable

from gate.frozen import frozen
from gate.model.verdict import Report


@frozen
class Sink:
    """One row of SINKS: `render` gives the text of the file `file`; whoever holds the report writes it."""

    file: str
    render: Callable[[Report], str]
