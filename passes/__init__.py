"""The passes, one file each, and ``stages.py``, the table that orders them. Imported as ``spyrec.passes``."""
