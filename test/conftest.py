"""Property tests draw the same cases every time, so a red run can be run again; ``bench/`` goes on drawing.

NumPy's products take one thread, as under lit and in ``spyrec`` itself.
"""

import os

from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("spyrec", derandomize=True, deadline=None)
settings.load_profile("spyrec")
