from cli.shell import Shell
from loom.kernel import calls as c


def beat(instance: str, *features: str) -> c.Heartbeat:
    """A timers node that knows these."""
    return c.Heartbeat(instance=instance, role="timers", version="0.1.0", features=features)


async def test_the_fleet_and_its_features_are_listed(shell: Shell) -> None:
    """Operations 6.3: who is there, what each knows, when it was seen; silent ones are told from live ones."""
    await shell.store.heartbeat(beat("timers.one"))
    shell.clock.advance(60_000)
    await shell.store.heartbeat(beat("timers.two", "redrives"))

    told, document = await shell("features"), (await shell("features", "--json")).document

    lines = {line.split()[0]: line for line in told.out.splitlines() if line}
    assert lines["redrives"].split() == ["redrives", "on"]
    assert lines["timers.one"].endswith("silent")
    assert "none" in lines["timers.one"]
    assert "silent" not in lines["timers.two"]
    assert document["features"] == {"redrives": "on"}
    assert [node["instance"] for node in document["fleet"]] == ["timers.one", "timers.two"]


async def test_a_feature_is_turned_on_only_for_a_fleet_that_knows_it(shell: Shell) -> None:
    """I56: refused with its own code, the node and what to do; then done when that node is gone."""
    assert (await shell("features", "off", "redrives")).exit == 0
    await shell.store.heartbeat(beat("timers.old"))

    refused = await shell("features", "on", "redrives")
    shell.clock.advance(30_000)
    done = await shell("features", "on", "redrives")

    assert refused.exit == 1
    assert "fleet-behind" in refused.err
    assert "timers.old" in refused.err
    assert (done.exit, done.out.strip()) == (0, "redrives is on")


async def test_half_a_wish_is_a_usage_fault(shell: Shell) -> None:
    """A slip changes nothing."""
    assert (await shell("features", "off")).exit == 2
    assert (await shell("features", "on", "no-such")).exit == 2
    assert (await shell.store.read_store(c.ReadStore())).features == ("redrives",)
