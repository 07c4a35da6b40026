"""What a storm came to, to be judged and shown."""

from __future__ import annotations

from dataclasses import dataclass

from event_store.schedules.tables import Tables
from storm.checker import Violation
from storm.forms import Form
from storm.history import Operation
from storm.quorum import Weather
from storm.workflows import parent, result_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a storm came to. `missing`: of its quorum; `refusals`: of stale writes, by surface; `swept`: what no
    hint had brought about; `reopened`: by an operator, since eight claims in a row had come to nothing;
    `fell`: ended by itself, and was started again; `unready`: when all was calm again.
    """

    form: Form
    seed: int
    seconds: float
    weather: Weather
    missing: tuple[str, ...]
    refusals: dict[str, int]
    swept: int
    reopened: int
    fell: tuple[str, ...]
    unready: tuple[str, ...]
    operations: list[Operation]
    tables: Tables
    violations: list[Violation]

    @property
    def parents(self) -> int:
        return sum(head.workflow == parent.name for head in self.tables.heads.values())

    @property
    def finished(self) -> int:
        """Parents that completed, once, with the result of a parent."""
        return sum(self._is_finished(number) for number in self.tables.heads)

    def _is_finished(self, number: int) -> bool:
        head = self.tables.heads[number]
        ends = [event for event in self.tables.events[number] if event.kind == "EXECUTION_COMPLETED"]
        if head.workflow != parent.name or len(ends) != 1:
            return False
        return result_of(head.execution_id, ends[0].payload.parsed())

    @property
    def holds(self) -> bool:
        """Was every promise kept, and was it a storm?"""
        kept = not self.violations and self.finished == self.parents >= self.form.quorum.parents
        return kept and not self.missing and not self.unready
