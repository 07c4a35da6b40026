"""The laws of body-loop 6 on the whole runner: drawn programs, something at every write, over the store in memory."""

from hypothesis import Phase, given, settings

from sdk.programs import Op, Played, completed_steps, play, programs, replay
from sdk.virtual import run_virtually

LAWS = settings(max_examples=6, derandomize=True, deadline=None, database=None, phases=[Phase.generate])


def check_replay(program: list[Op], played: Played) -> None:
    """The log gives the same result, what branches saw of each other included, and leaves nothing to start."""
    with replay(program, played, played.log[:-1]) as body:
        assert body.done
        assert body.outcome == played.result
        fresh = body.take_fresh()
        body.leave()
        assert [command for command in fresh if command.open] == []


def check_paid_once(played: Played) -> None:
    """What was complete in the log at the failure did not run again."""
    before = completed_steps(played.store.log_then)
    ran = {key.partition("/")[2]: count for key, count in played.effects.ran.items() if key.startswith("drawn@")}
    assert all(ran[seq] == 1 for seq in before)


@LAWS
@given(programs)
def test_the_full_log_gives_the_same_result_and_starts_nothing(program: list[Op]):
    """Body-loop 1.2: replay and first run are one and the same."""
    check_replay(program, run_virtually(lambda: play(program, seed=1)))


@LAWS
@given(programs)
def test_after_a_failure_at_any_write_the_body_goes_on_to_the_same_values(program: list[Op]):
    """Body-loop 6, I53: a crash at every append, the write done or not; no completed step runs again."""
    first = run_virtually(lambda: play(program, seed=1))

    for at in range(1, first.store.writes + 1):
        for act in ("fail", "fail-done"):
            played = run_virtually(lambda at=at, act=act: play(program, seed=2, at=at, act=act))

            assert played.result["values"] == first.result["values"]
            check_replay(program, played)
            check_paid_once(played)


@LAWS
@given(programs)
def test_what_others_write_at_any_place_is_met_there_in_every_replay(program: list[Op]):
    """Body-loop 1.2, 4: a cancel request or an audit event before any write of the owner's."""
    writes = run_virtually(lambda: play(program, seed=1)).store.writes

    for at in range(1, writes + 1):
        for act in ("cancel", "annotate"):
            check_replay(program, run_virtually(lambda at=at, act=act: play(program, seed=2, at=at, act=act)))
