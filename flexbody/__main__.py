"""``python -m flexbody`` is the command ``flexbody``."""

from .cli import main

raise SystemExit(main())
