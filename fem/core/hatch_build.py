"""The build step of the package that compiles the core; hatchling calls it (``pyproject.toml``)."""

import importlib
import platform
import sys
import sysconfig
import types
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# the files beside this one as a package, without fem and all that it needs at run time
_package = types.ModuleType("flexbody_build")
_package.__path__ = [str(Path(__file__).resolve().parent)]
sys.modules["flexbody_build"] = _package
build = importlib.import_module("flexbody_build.build")
compiler = importlib.import_module("flexbody_build.compiler")


class CoreHook(BuildHookInterface):
    """Builds the library for every wheel, and adds it to wheels that are not editable."""

    def dependencies(self) -> list[str]:
        """Return a compiler as a package if the machine has none."""
        return [] if compiler.local_compiler()[0] else [compiler.ZIG]

    def initialize(self, version: str, build_data: dict) -> None:
        """Build the library, and set the platform of the wheel."""
        library = build.build(build.Core(), self.app.display_info)
        if version == "editable":  # sources are edited there: the compiler stays
            build_data["dependencies"] += self.dependencies()
            return
        build_data["force_include"][str(library)] = library.relative_to(build.ROOT).as_posix()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"


def platform_tag() -> str:
    """Return the platform as in the names of wheels."""
    name = sysconfig.get_platform()
    if sys.platform == "darwin":  # Python itself may be older, and for two kinds of machines
        name = f"macosx-{compiler.MACOS}-{platform.machine()}"
    return name.replace("-", "_").replace(".", "_")
