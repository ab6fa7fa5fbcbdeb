"""The way in: until the commands are loaded, Ctrl-C ends without a word or a traceback."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from cli.main import main as run

    run()


if __name__ == "__main__":
    main()
