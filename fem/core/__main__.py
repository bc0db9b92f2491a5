"""``python -m fem.core`` builds the compiled core; see :mod:`fem.core.build`."""

from .build import main

raise SystemExit(main())
