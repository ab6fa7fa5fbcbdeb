"""How a long run says where it is."""

import sys


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
