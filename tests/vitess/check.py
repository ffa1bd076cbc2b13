"""How a test fails."""


class TestFailure(Exception):
    """An expectation that did not hold; the text says what was seen."""


def expect(condition, seen):
    """`seen` is shown when the condition is false: a text, a command's Result, or a function that makes one."""
    if not condition:
        raise TestFailure(str(seen() if callable(seen) else seen))
