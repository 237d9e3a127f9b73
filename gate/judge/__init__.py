"""Ask a model to judge: endpoints, what they are asked, what their answers mean, what it may cost.

Nothing of it is imported by a run whose suite has no judge.
"""

from gate.judge.anchors import with_files
from gate.judge.bench import Bench
from gate.judge.cache import BadCache, Cache, known_of, parse_cache
from gate.judge.sampling import Judged, Question, Unjudged

__all__ = [
    "BadCache",
    "Bench",
    "Cache",
    "Judged",
    "Question",
    "Unjudged",
    "known_of",
    "parse_cache",
    "with_files",
]
