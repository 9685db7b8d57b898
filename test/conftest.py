"""Property tests draw the same cases every time, so a red run can be run again; ``bench/`` goes on drawing."""

from hypothesis import settings

settings.register_profile("spyrec", derandomize=True, deadline=None)
settings.load_profile("spyrec")
