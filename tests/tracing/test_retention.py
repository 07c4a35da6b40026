from __future__ import annotations

from pathlib import Path

from fixtures.spans import Spans
from loom.clock import ManualClock
from loom.stores.memory import MemoryEventStore
from loom_retention.data import open_catalogue_file
from loom_retention.policy import DAY_MS, Keep
from loom_retention.settings import RetentionSettings
from loom_retention.sweep import Sweeper
from retention.executions import end_execution


async def still_ours() -> bool:
    """The duty is held."""
    return True


async def test_a_page_of_what_may_go_is_a_trace_and_a_round_without_any_is_none(spans: Spans, tmp_path: Path) -> None:
    """Operations 4.2 rule 4; a round a minute in every namespace would be a trace a minute."""
    clock = ManualClock()
    store = MemoryEventStore(clock)
    catalogue = open_catalogue_file(RetentionSettings(data=tmp_path))
    sweeper = Sweeper(store, catalogue, None, Keep(completed=DAY_MS))
    await end_execution(store, "old", "1")

    await sweeper.run(clock.now(), dry_run=False, proceed=still_ours)
    assert spans.named("retention sweep") == []
    clock.advance(2 * DAY_MS)
    report = await sweeper.run(clock.now(), dry_run=False, proceed=still_ours)

    swept = spans.one("retention sweep")
    assert (swept.parent, swept.attributes["loom.count"]) == (None, 1)
    assert report.finished
    catalogue.close()
