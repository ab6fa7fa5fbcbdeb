"""Our packages have generic names; nothing else that is installed may own one of them."""

import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_owns_our_package(package):
    owners = set(packages_distributions().get(package, ())) - {"apigloss"}

    assert owners == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_typed_and_importable(package):
    assert (ROOT / package / "__init__.py").is_file()
    assert (ROOT / package / "py.typed").is_file()


def test_every_package_of_the_tree_is_in_the_wheel():
    found = {file.parent.name for file in ROOT.glob("*/py.typed")}

    assert found == set(PACKAGES)
