"""The only git: the work tree, and what is committed at a revision."""

from gate.git.history import (
    behind,
    changed_since,
    commit_named,
    contains,
    head_of,
    is_shallow,
    merge_base,
    parents_of,
)
from gate.git.program import real
from gate.git.tree import Tree, tree_at
from gate.git.worktree import (
    commit_of,
    committed_under,
    files_of,
    folders_of,
    is_in_checkout,
    is_tracked,
    search_path,
    top_of,
)

__all__ = [
    "Tree",
    "behind",
    "changed_since",
    "commit_named",
    "commit_of",
    "committed_under",
    "contains",
    "files_of",
    "folders_of",
    "head_of",
    "is_in_checkout",
    "is_shallow",
    "is_tracked",
    "merge_base",
    "parents_of",
    "real",
    "search_path",
    "top_of",
    "tree_at",
]
