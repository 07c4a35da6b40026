"""The names of things: who is addressed, who presents itself, what is counted. Types that never mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NewType, Self, TypeVar, dataclass_transform

Namespace = NewType("Namespace", str)
ExecutionId = NewType("ExecutionId", str)
Sequence = NewType("Sequence", int)
Instant = NewType("Instant", int)  # whole milliseconds since the Unix epoch, on the store's clock
Nonce = NewType("Nonce", str)  # a secret of at least 128 random bits, chosen by the claimer

_DECIMAL = r"^(0|[1-9][0-9]{0,18})$"
_GREATEST = 2**63 - 1


class DecimalString(int):
    """A 63-bit number that JSON shows as a decimal string, since JavaScript rounds above 2^53 (H40)."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The number that `text` spells; ValueError if it is out of range."""
        number = int(text)
        if not 0 <= number <= _GREATEST:
            raise ValueError(f"{text} is not a number of 63 bits")
        return cls(number)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.parse, core_schema.str_schema(pattern=_DECIMAL))


class Incarnation(DecimalString):
    """The random number given at each start of an id."""


class Chain(DecimalString):
    """The incarnation of the first link of a chain."""


class Token(DecimalString):
    """A fence token: `(epoch << 32) | counter`. It grows whenever ownership moves and never decreases (I19)."""

    @property
    def epoch(self) -> int:
        return self >> 32

    @property
    def counter(self) -> int:
        return self & 0xFFFFFFFF

    @property
    def shown(self) -> str:
        """The form for people, `epoch.counter`."""
        return f"{self.epoch}.{self.counter}"

    def next(self, epoch: int) -> Token:
        """The token of the next bump in `epoch`, which is never below this token's own."""
        return Token((max(epoch, self.epoch) << 32) | (self.counter + 1))


ANY: Literal["*"] = "*"
SeenIncarnation = Incarnation | Literal["*"]  # what the caller saw; only a person may write `*`
SeenChain = Chain | Literal["*"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def noun(cls: type[_T]) -> type[_T]:
    """A frozen dataclass whose JSON form takes no unknown members: what a caller writes."""
    cls.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def answer(cls: type[_T]) -> type[_T]:
    """A frozen dataclass whose JSON form ignores unknown members: what a store answers, perhaps a newer one."""
    cls.__pydantic_config__ = {"extra": "ignore"}  # type: ignore[attr-defined]
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


@noun
class ExecutionRef:
    """One incarnation of an id: what anybody remembers of an execution."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: Incarnation


@noun
class ChainRef:
    """A chain: what send, cancel, attach and result address."""

    namespace: Namespace
    execution_id: ExecutionId
    chain: Chain


@noun
class Credential:
    """What an owner presents with every write. The nonce appears in no log, trace, event or answer but the claim's."""

    namespace: Namespace
    execution_id: ExecutionId
    incarnation: Incarnation
    token: Token
    nonce: Nonce

    @property
    def execution(self) -> ExecutionRef:
        return ExecutionRef(namespace=self.namespace, execution_id=self.execution_id, incarnation=self.incarnation)

    def __repr__(self) -> str:
        return f"Credential({self.namespace}/{self.execution_id}@{self.incarnation}, token={self.token.shown})"
