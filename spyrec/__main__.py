"""``python -m spyrec`` is the command ``spyrec``."""

import sys

from spyrec.cli.main import main

sys.exit(main())
