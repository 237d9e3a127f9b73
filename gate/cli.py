"""The command line: the one boundary where every error becomes a message and an exit code."""

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final

from gate.errors import BAD_INPUT, BUG, INTERRUPTED, BadInput, GateError
from gate.verbs import parser

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
_LONGEST: Final = 100_000
_OBJECTS: Final = 50_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a bug prints its traceback, ready for a report."""
    gc.set_threshold(_OBJECTS)  # imports leave no garbage: to look for it every 700 objects is 5 % of a start
    _open_streams()
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        parser().print_help(sys.stderr)
        return BAD_INPUT
    options = parser(given[0]).parse_args(given)
    try:
        command: Callable[[argparse.Namespace], int] = import_module(f"gate.commands.{options.command}").main
        return _flushed(command(options))
    except BadInput as error:
        from gate.check.render import render_findings

        print(render_findings(error.findings), file=sys.stderr)
        print(f"agent-gate exited with {error.exit_code}: bad input, nothing was run", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("agent-gate: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        return _failed(error)
    except GateError as error:
        _complain(f"agent-gate: {error.message}", *([f"  {error.hint}"] if error.hint else []))
        return error.exit_code
    except Exception:  # noqa: BLE001  # the boundary: a bug must not look like a verdict
        return _bug()


def _open_streams() -> None:
    """A stream that the caller closed (`>&-`) is None; what goes there is for nobody."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - to the end


def _flushed(code: int) -> int:
    """The code, once what was printed has been written: the interpreter's own flush would replace it."""
    sys.stdout.flush()
    return code


def _drop_output() -> None:
    """Let the interpreter's own flush at the end succeed, so that it does not replace the exit code."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug() -> int:
    from gate.bug import bug_report  # only a bug pays for it

    _complain(bug_report())
    return BUG


def _failed(error: OSError) -> int:
    """A full disk and a name that no file can have are the user's; whatever else comes here is a bug."""
    if error.errno == errno.ENAMETOOLONG:
        _complain(f"agent-gate: {str(error.filename)[:80]}…: {error.strerror}")
    elif error.errno in _NO_ROOM:
        _drop_output()
        _complain(f"agent-gate: cannot write: {error.strerror}")
    else:
        return _bug()
    return BAD_INPUT


def _complain(*texts: str) -> None:
    """Print to standard error what may repeat hostile text: a message of an error, a traceback."""
    from gate.publish.escape import lines

    print(*(lines(text, _LONGEST) for text in texts), sep="\n", file=sys.stderr)
