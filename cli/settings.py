"""Settings: flag > environment (`GLOSS_…`) > gloss.toml found upwards > the user's own file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.errors import UsageError

if TYPE_CHECKING:
    from cli.config_file import ConfigFile, Probe

FILE_NAME = "gloss.toml"


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """What may be called of a service. `values` as written: `env:NAME` and `file:PATH` too."""

    allow: frozenset[str] = frozenset()
    values: Mapping[str, Any] = field(default_factory=dict)
    allow_hosts: frozenset[str] = frozenset()
    keep_values: bool = False
    rate: float | None = None
    concurrency: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredService:
    """One `[[services]]` entry; `name` is the one in the catalog, `spec` is whole or absolute.

    Values of `headers` may be `env:NAME` or `file:PATH`: see `secret`. `auto_apply` and `max_cost`
    (USD a run) are for `gloss sync`.
    """

    name: str
    spec: str
    headers: Mapping[str, str] = field(default_factory=dict)
    include: tuple[Path, ...] = ()
    base_url: str = ""
    enrich: bool = False
    probe: ProbeSettings = ProbeSettings()
    owner: str = ""
    auto_apply: bool = False
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """`base_url` empty means no endpoint: the writer that needs no model.

    `api_key` says where the key is, `env:NAME` or `file:PATH`; it is read when it is used.
    """

    base_url: str = ""
    model: str = ""
    api_key: str = ""
    api_version: str = ""
    timeout_s: float = 60.0
    max_concurrency: int = 4
    tools_per_request: int = 4
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """An endpoint that embeds; `api_key` says where the key is, as in `LlmSettings`."""

    base_url: str
    model: str
    api_key: str = ""
    dimensions: int | None = None
    batch: int = 64
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """`database_url` empty means the embedded server, whose files are in `data_dir`;
    `database_from` says where the address stands.

    `weights` are the shares of original and enriched text; None leaves the index as it is mixed.
    `embedding` is None without an endpoint.
    """

    data_dir: Path
    runtime_dir: Path | None = None
    database_url: str = ""
    database_from: str = "GLOSS_DATABASE_URL"
    embedding_model: str = "builtin"
    reranker: str = "trained"
    weights: tuple[float, float] | None = None
    embedding: EmbeddingSettings | None = None
    llm: LlmSettings = LlmSettings()
    services: tuple[DeclaredService, ...] = ()
    file: Path | None = None


def load(
    environment: Mapping[str, str] | None = None,
    start: Path | None = None,
    *,
    embedding_model: str = "",
) -> Settings:
    env = os.environ if environment is None else environment
    file = find_file(env, start or _here())
    config = _read(file) if file else None
    database = config.database if config else None
    given = env.get("GLOSS_DATABASE_URL")
    url = given or (database.url if database else "")
    return Settings(
        data_dir=_data_dir(env, database.data_dir if database else None, file, needed=not url),
        runtime_dir=Path(env["XDG_RUNTIME_DIR"]) if env.get("XDG_RUNTIME_DIR") else None,
        database_url=url,
        database_from="GLOSS_DATABASE_URL" if given else f"[database] url in {file}",
        embedding_model=embedding_model
        or env.get("GLOSS_EMBEDDING_MODEL")
        or _embedding_model(config, file),
        reranker=config.search.reranker if config else "trained",
        weights=_weights(config, env),
        embedding=_endpoint(config, env, embedding_model),
        llm=_llm(config, env),
        services=_declared(config, file) if config and file else (),
        file=file,
    )


def find_file(env: Mapping[str, str], start: Path) -> Path | None:
    """GLOSS_CONFIG, else gloss.toml in `start` or a folder above it, else the user's."""
    named = env.get("GLOSS_CONFIG")
    if named:
        if not _is_file(Path(named)):
            raise UsageError(f"{named}: no file to read", hint="mend GLOSS_CONFIG, or gloss init")
        return Path(named)
    for folder in (start, *start.parents):
        if _is_file(folder / FILE_NAME):
            return folder / FILE_NAME
    home = env.get("XDG_CONFIG_HOME") or (f"{env['HOME']}/.config" if env.get("HOME") else "")
    user_file = Path(home) / "gloss" / FILE_NAME
    return user_file if home and _is_file(user_file) else None


def _is_file(path: Path) -> bool:
    """False too where we may not look, as in another user's folder."""
    try:
        return path.is_file()
    except OSError:
        return False


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            f"the working directory cannot be used: {error.strerror}", hint="cd to another folder"
        ) from None


def _read(file: Path) -> ConfigFile:
    from cli.config_file import read

    return read(file)


def _embedding_model(config: ConfigFile | None, file: Path | None) -> str:
    """As written; a folder that stands beside gloss.toml is found from everywhere."""
    if config is None or file is None:
        return "builtin"
    model = config.embedding.model or "builtin"
    beside = file.parent / model
    return str(beside.absolute()) if beside.is_dir() else model


def _endpoint(
    config: ConfigFile | None, env: Mapping[str, str], named: str
) -> EmbeddingSettings | None:
    """None too where the packaged model, or a folder, is named for this run."""
    from cli.config_file import Embedding

    given = config.embedding if config else Embedding()
    base_url = env.get("GLOSS_EMBEDDING_BASE_URL") or given.base_url
    model = named or env.get("GLOSS_EMBEDDING_MODEL") or given.model
    if not base_url or model == "builtin" or (named and Path(named).is_dir()):
        return None
    if not model:
        raise UsageError(
            "[embedding] has a base_url and no model", hint='model = "…" under [embedding]'
        )
    key = _key(given.api_key_env, given.api_key_file, env)
    return EmbeddingSettings(base_url, model, key, given.dimensions, given.batch, given.timeout_s)


def _weights(config: ConfigFile | None, env: Mapping[str, str]) -> tuple[float, float] | None:
    """Shares that sum to one; None where nobody chose any."""
    said = env.get("GLOSS_SEARCH_WEIGHTS")
    where = "GLOSS_SEARCH_WEIGHTS" if said else "[search] weights"
    given: Any = said.split(",") if said else config.search.weights if config else None
    if given is None:
        return None
    try:
        original, enriched = (float(value) for value in given)
    except ValueError:
        original = enriched = -1
    if not (original >= 0 and enriched >= 0 and 0 < original + enriched < float("inf")):
        raise UsageError(
            f"{where}: two numbers, none below zero, for original and enriched text",
            hint="weights = [0.3, 0.7]",
        )
    return original / (original + enriched), enriched / (original + enriched)


def _data_dir(
    env: Mapping[str, str], configured: str | None, file: Path | None, *, needed: bool
) -> Path:
    from store.server import default_data_dir

    if env.get("GLOSS_DATA_DIR"):
        return Path(env["GLOSS_DATA_DIR"]).absolute()
    if configured and file:
        return (file.parent / Path(configured).expanduser()).absolute()
    found = default_data_dir(env.get("HOME"), env.get("XDG_DATA_HOME"), os.geteuid() == 0)
    if found is None and needed:
        raise UsageError("no HOME to keep the catalog in", hint="export GLOSS_DATA_DIR=…")
    return found or Path("/var/lib/apigloss")


def _declared(config: ConfigFile, file: Path) -> tuple[DeclaredService, ...]:
    from catalog.words import safe_name

    folder = file.parent
    return tuple(
        DeclaredService(
            name=safe_name(entry.name, fallback="service"),
            spec=entry.spec if _is_address(entry.spec) else str(folder / entry.spec),
            headers=entry.headers,
            include=tuple(folder / root for root in entry.include),
            base_url=entry.base_url,
            enrich=entry.enrich,
            probe=_probe(entry.probe),
            owner=entry.owner,
            auto_apply=entry.auto_apply,
            max_cost=entry.max_cost,
        )
        for entry in config.services
    )


def _probe(given: Probe) -> ProbeSettings:
    return ProbeSettings(
        allow=frozenset(given.allow),
        values=given.values,
        allow_hosts=frozenset(host.lower() for host in given.allow_hosts),
        keep_values=given.keep_values,
        rate=given.rate,
        concurrency=given.concurrency,
    )


def _llm(config: ConfigFile | None, env: Mapping[str, str]) -> LlmSettings:
    base_url = env.get("GLOSS_LLM_BASE_URL") or (config.llm.base_url if config else "")
    if not base_url or (config and config.llm.provider == "shapes"):
        return LlmSettings()
    given = config.llm if config else None
    model = env.get("GLOSS_LLM_MODEL") or (given.model if given else "")
    if not model:
        raise UsageError("[llm] has a base_url and no model", hint='model = "…" under [llm]')
    if given is None:
        return LlmSettings(base_url, model, _key("", "", env))
    return LlmSettings(
        base_url=base_url,
        model=model,
        api_key=_key(given.api_key_env, given.api_key_file, env),
        api_version=given.api_version,
        timeout_s=given.timeout_s,
        max_concurrency=max(1, given.max_concurrency),
        tools_per_request=max(1, given.tools_per_request),
        max_cost=given.max_cost,
        price_in=given.price_in,
        price_out=given.price_out,
    )


def _key(name: str, file: str, env: Mapping[str, str]) -> str:
    """Where the endpoint's key is; endpoints on one's own machine need none."""
    if file:
        return f"file:{file}"
    if name and name != "OPENAI_API_KEY":
        return f"env:{name}"
    return "env:OPENAI_API_KEY" if env.get("OPENAI_API_KEY") else ""


def user_name() -> str:
    """Who decides, for the history: the account's name, or its number where it has none."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def session() -> str:
    """Whose searches follow one another: GLOSS_SESSION, else this shell, as a hash."""
    import hashlib

    given = os.environ.get("GLOSS_SESSION") or f"{os.uname().nodename} {os.getuid()} {os.getsid(0)}"
    return hashlib.sha256(given.encode("utf-8", "replace")).hexdigest()[:16]


def _is_address(spec: str) -> bool:
    return spec.startswith(("http://", "https://", "grpc://"))


def secret(value: str) -> str:
    """`env:NAME` or `file:PATH` become what they point to, and are kept out of every output."""
    from cli import console

    kind, _, name = value.partition(":")
    if kind == "env":
        found: Any = os.environ.get(name)
        if found is None:
            raise UsageError(f"the environment has no {name}", hint=f"export {name}=…")
    elif kind == "file":
        try:
            found = Path(name).expanduser().read_text(encoding="utf-8").strip()
        except OSError as error:
            raise UsageError(
                f"{name}: {error.strerror}", hint="mend the path in gloss.toml"
            ) from None
    else:
        return value
    console.keep_secret(found)
    return str(found)
