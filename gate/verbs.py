"""The parser of the command line: what each verb takes, and what `--help` says of it."""

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeAlias

from gate import __version__
from gate.session_options import SOURCES, extracts, imports, shows
from gate.session_options import positive as _positive

EPILOG: Final = """\
more:
  generate              run the cases and keep their traces, without a score
  grade TRACES          score recorded traces again, with this suite's cases and rules
  judge calibrate       judge the labelled anchors alone, and suggest thresholds
  extract SOURCE        account for every event of a trace or a recorded session
  import FORMAT FILE    another tool's golden file, metrics, spans or session, in our own format
  publish RUN           in a workflow: comment what another job or a fork measured
  schema NAME           print a JSON Schema for your editor

exit codes: 0 pass, 1 regression, 2 bad input, 3 undecided, 4 publishing failed, 70 a bug in the gate,
129, 130 and 143 interrupted. `agent-gate COMMAND --help` explains one command.
"""


def parser(verb: str = "") -> argparse.ArgumentParser:
    """The whole command line; of a known verb nothing but that verb, because a run needs no other."""
    top = _Parser(
        prog="agent-gate",
        description="Gate an AI agent: replay its golden suite and say what got worse.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"agent-gate {__version__}")
    verbs = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", title="commands", prog="agent-gate"
    )
    for add in [_VERBS[verb]] if verb in _VERBS else _VERBS.values():
        add(verbs)
    return top


class _Parser(argparse.ArgumentParser):
    """A parser that does not repeat the password of a URL that is in the wrong place."""

    def error(self, message: str) -> NoReturn:
        super().error(re.sub(r"://\S*@", "://***@", message))


Verbs: TypeAlias = "argparse._SubParsersAction[_Parser]"  # noqa: SLF001  # its only name


def _init(verbs: Verbs) -> None:
    verb = verbs.add_parser("init", help="look at the project and write a first config and first cases")
    verb.add_argument("folder", nargs="?", default=".", help="the project (default: here)")
    verb.add_argument("--force", action="store_true", help="overwrite files that are there")


def _check(verbs: Verbs) -> None:
    verb = verbs.add_parser("check", help="what is wrong with config and cases, before anything runs")
    _config(verb)
    verb.add_argument("--strict", action="store_true", help="warnings are errors")


def _run(verbs: Verbs) -> None:
    verb = verbs.add_parser("run", help="boot the agent, run the cases, compare with the baseline")
    _drives(verb)
    verb.add_argument(
        "--last-failed", action="store_true", help="only cases that did not pass in the last run"
    )
    verb.add_argument(
        "--base", metavar="REF", help="judge as a pull request into this branch would be: its bar holds"
    )
    verb.add_argument("--json", action="store_true", help="print the report as JSON instead of the table")


def _generate(verbs: Verbs) -> None:
    _drives(verbs.add_parser("generate"), out="generated")


def _drives(verb: argparse.ArgumentParser, out: str = "out") -> None:
    _config(verb)
    _out(verb, default=out)
    verb.add_argument(
        "--case", action="append", default=[], metavar="ID", help="only this case; patterns work"
    )
    verb.add_argument("--tag", action="append", default=[], help="only cases with this tag")
    verb.add_argument("--trials", type=_positive, help="trials of each case (default: run.trials)")
    verb.add_argument(
        "--env",
        action="append",
        default=[],
        type=_assignment,
        metavar="NAME=VALUE",
        help="set it for the agent",
    )
    verb.add_argument("--strict", action="store_true", help="warnings of the check are errors")


def _show(verbs: Verbs) -> None:
    verb = verbs.add_parser(
        "show",
        help="a case's conversation in the last run, expected beside got",
        epilog=SOURCES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _config(verb)
    _out(verb)
    verb.add_argument("what", metavar="CASE|SOURCE", help="a case's id, or where a session is recorded")
    verb.add_argument("--trial", type=_positive, help="which trial (default: the first that failed)")
    shows(verb)


def _compare(verbs: Verbs) -> None:
    verb = verbs.add_parser("compare", help="hold one run against another, or against a baseline")
    verb.add_argument("before", help="run.json, its folder, a baseline, or results of agents-cli or adk eval")
    verb.add_argument("after", help="run.json or its folder, or results of the same tool")
    verb.add_argument("--json", action="store_true", help="print the report as JSON")
    verb.add_argument("--markdown", action="store_true", help="print the summary as Markdown")


def _baseline(verbs: Verbs) -> None:
    verb = verbs.add_parser("baseline", help="accept a run as evidence, or show what the baseline holds")
    acts = verb.add_subparsers(dest="act", required=True, metavar="accept|show")
    accept = acts.add_parser("accept", help="add a run to the pooled baseline")
    accept.add_argument("run", nargs="?", default="out", help="run.json or its folder (default: out)")
    accept.add_argument(
        "--because",
        metavar="REASON",
        default="",
        help="accept it although it is red, partial or uncommitted",
    )
    _config(accept)
    _config(acts.add_parser("show", help="print runs, cases and means"))


def _judge(verbs: Verbs) -> None:
    acts = verbs.add_parser("judge").add_subparsers(dest="act", required=True, metavar="calibrate")
    told = "judge the anchors alone: how far people agree, and from which score on to say yes"
    _config(acts.add_parser("calibrate", help=told))


def _grade(verbs: Verbs) -> None:
    verb = verbs.add_parser("grade")
    _config(verb)
    _out(verb, default="graded")
    verb.add_argument("traces", help="traces.jsonl or the folder that holds it")
    verb.add_argument("--json", action="store_true", help="print the report as JSON")


def _extract(verbs: Verbs) -> None:
    verb = verbs.add_parser("extract", epilog=SOURCES, formatter_class=argparse.RawDescriptionHelpFormatter)
    extracts(verb)


FORMATS: Final[Mapping[str, str]] = {
    "adk-evalset": "EvalSets of ADK, current and legacy",
    "agents-cli": "datasets of google-agents-cli",
    "annotation": "annotated conversations, of which only those with `status: done` count",
    "case-list": "a list of cases with input, expected_tools, expected_keywords (JSON, YAML, .py)",
    "kagent-suite": "suite.yaml of kagent-agentevals, with the recording that it names",
    "session": "a recorded session, in a file or a database: what the agent did becomes what is expected",
    "adk-criteria": "test_config.json of `adk eval`: its criteria as metrics and rules",
    "experiment": "the configuration of an experiment: its metrics",
    "agents-cli-config": "eval_config.yaml of google-agents-cli: its custom metrics",
    "otel": "recorded OpenTelemetry spans (OTLP/JSON, Jaeger): become traces.jsonl, for `grade`",
}


def _import(verbs: Verbs) -> None:
    rows = "\n".join(f"  {name:<19}{what}" for name, what in FORMATS.items())
    verb = verbs.add_parser(
        "import",
        epilog=f"formats:\n{rows}\n\n{SOURCES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.set_defaults(command="import_file")
    verb.add_argument("format", choices=FORMATS, metavar="FORMAT", help="what FILE is (below)")
    verb.add_argument("file", metavar="FILE", help="the other tool's file; it stays as it is")
    verb.add_argument(
        "--to",
        metavar="FILE",
        help="write here instead of printing; .json writes JSON; otel takes a folder too",
    )
    verb.add_argument(
        "--config", metavar="FILE", help="otel: the suite whose cases these are, by id or by the user's words"
    )
    verb.add_argument("--case-from", metavar="ATTRIBUTE", help="otel: the attribute that has the case's id")
    imports(verb)


def _publish(verbs: Verbs) -> None:
    verb = verbs.add_parser("publish")
    verb.add_argument(
        "run", nargs="?", default="out", help="the run's folder, or its run.json (default: out)"
    )
    verb.add_argument("--comment", choices=("on", "changes", "off"), default="on", help="default: on")
    verb.add_argument("--comment-id", default="default", metavar="ID", help="tells several comments apart")


def _schema(verbs: Verbs) -> None:
    verb = verbs.add_parser("schema")
    names = "config, dataset, anchors, trace, run, baseline, metric-request or -response"
    verb.add_argument("name", nargs="?", help=names)


_VERBS: Final[Mapping[str, Callable[[Verbs], None]]] = {
    "init": _init,
    "check": _check,
    "run": _run,
    "show": _show,
    "compare": _compare,
    "baseline": _baseline,
    "generate": _generate,
    "grade": _grade,
    "judge": _judge,
    "extract": _extract,
    "import": _import,
    "publish": _publish,
    "schema": _schema,
}


def _config(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--config", default="agent-gate.yml", metavar="FILE", help="default: agent-gate.yml")


def _out(verb: argparse.ArgumentParser, default: str = "out") -> None:
    verb.add_argument("--out", default=default, metavar="DIR", help=f"the run's folder (default: {default})")


def _assignment(text: str) -> str:
    if not text.partition("=")[0] or "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return text
