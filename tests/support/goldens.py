"""Golden files: what a surface looked like when last agreed with; `--update-goldens` rewrites them."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "goldens"


class Golden:
    """Compares a text with `tests/goldens/NAME`, or writes it there."""

    def __init__(self, *, update: bool, folder: Path = FOLDER) -> None:
        self._update = update
        self._folder = folder

    def __call__(self, name: str, text: str) -> None:
        path = self._folder / name
        if self._update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.is_file(), (
            f"{path} is missing: run pytest with --update-goldens and look at what it wrote"
        )
        assert text == path.read_text(encoding="utf-8"), (
            f"{name}: look at the difference, then --update-goldens"
        )
