"""`lit test` starts here; the settings stand in the repository's root beside pyproject.toml."""

from pathlib import Path

lit_config.load_config(config, str(Path(__file__).resolve().parent.parent / "lit.cfg.py"))  # noqa: F821 (lit defines both)
