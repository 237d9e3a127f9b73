"""Agent Gate: the CI gate for AI agents. The flow is the folder; see CONTRIBUTING.md for the map."""

__version__ = "0.1.0"
