"""gloss.toml as written: every key optional, a misspelt one refused by name."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from catalog.errors import UsageError


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Database(_Section):
    url: str = ""
    data_dir: str | None = None


class Llm(_Section):
    provider: str = ""
    base_url: str = ""
    model: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    api_version: str = ""
    timeout_s: float = 60
    max_concurrency: int = 4
    tools_per_request: int = 4
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None


class Embedding(_Section):
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    dimensions: int | None = Field(default=None, ge=1, le=16000)
    batch: int = Field(default=64, ge=1)
    timeout_s: float = Field(default=60, gt=0)


class Search(_Section):
    reranker: Literal["trained", "builtin", "off", "llm"] = "trained"
    weights: tuple[float, float] | None = None


class Probe(_Section):
    allow: list[str] = Field(default_factory=list)
    values: dict[str, Any] = Field(default_factory=dict)
    allow_hosts: list[str] = Field(default_factory=list)
    keep_values: bool = False
    rate: float | None = Field(default=None, gt=0)
    concurrency: int | None = Field(default=None, ge=1)


class Service(_Section):
    name: str
    spec: str
    owner: str = ""
    enrich: bool = False
    auto_apply: bool = False
    max_cost: float | None = Field(default=None, ge=0)
    base_url: str = ""
    include: list[str] = Field(default_factory=list)
    headers: dict[str, str] = Field(default_factory=dict)
    probe: Probe = Field(default_factory=Probe)


class ConfigFile(_Section):
    database: Database = Field(default_factory=Database)
    llm: Llm = Field(default_factory=Llm)
    embedding: Embedding = Field(default_factory=Embedding)
    search: Search = Field(default_factory=Search)
    services: list[Service] = Field(default_factory=list)

    @field_validator("services")
    @classmethod
    def _named_once(cls, given: list[Service]) -> list[Service]:
        names = [service.name for service in given]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two services are named {twice}")
        return given


def read(file: Path) -> ConfigFile:
    try:
        return ConfigFile.model_validate(tomllib.loads(file.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="mend the file, or its rights") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: no valid TOML: {error}", hint=f"mend {file}") from None
    except ValidationError as error:
        raise UsageError(f"{file}: {_first_fault(error)}", hint=f"mend {file}") from None


def _first_fault(error: ValidationError) -> str:
    """Key and reason of the first fault; never the value, which may be a secret."""
    fault = error.errors(include_input=False, include_url=False)[0]
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] != "extra_forbidden":
        return f"{key}: {fault['msg'].removeprefix('Value error, ')}"
    known = {name for section in _Section.__subclasses__() for name in section.model_fields}
    near = get_close_matches(str(fault["loc"][-1]), sorted(known), 1)
    return f"{key}: no such key" + (f" (do you mean {near[0]}?)" if near else "")
