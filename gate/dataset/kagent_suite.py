"""Golden files in the form of kagent-agentevals' `suite.yaml`."""

from pathlib import Path

from gate.dataset.ids import usable
from gate.documents import Document, read_bytes
from gate.documents.files import MAX_BYTES
from gate.formats import kagent_suite
from gate.model.case import Case
from gate.model.finding import Finding

accepts = kagent_suite.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    return usable(*kagent_suite.read(document.value, document.place))


def read_with_fixture(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """As `read`, with what the user said in the recording that `source` names, from the suite's folder."""
    from gate.formats.sessions import trace_of  # a run needs no recording
    from gate.formats.stored import NotASession, read_recordings

    name = kagent_suite.fixture(document.value)
    if not name:
        return read(document)
    path = Path(document.file).parent / name
    try:
        recordings = read_recordings(read_bytes(path, MAX_BYTES).decode("utf-8"))
        traces = [trace_of(recording, source=name) for recording in recordings]
    except (OSError, UnicodeDecodeError, NotASession) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        place = document.place(("source", "path"))
        what = f"the recording {name!r} cannot be read: {reason}"
        return (), (Finding.error("unreadable-fixture", place, what, fix="Correct `path`, or put it there."),)
    said = {trace.session: [turn.sent for turn in trace.turns if turn.sent] for trace in traces}
    return usable(*kagent_suite.read(document.value, document.place, said))
