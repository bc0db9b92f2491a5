"""The longest test, an installed wheel that compiles all anew, begins first: no worker waits for it at the end."""


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: "test_wheel" not in item.nodeid)
