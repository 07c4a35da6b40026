from __future__ import annotations

from itertools import islice, pairwise

import pytest

from storm.faults import ROLES, SERVERS, Fault, faults_of
from storm.forms import FORMS, LONG, Form
from storm.quorum import Quorum, Weather, list_missing


def planned(form: Form, seed: int, role: str) -> list[Fault]:
    """What one round does to a role."""
    lane = next(lane for lane in form.lanes if lane.role == role)
    return list(islice(faults_of(seed, lane, form.length_s), lane.kills + lane.freezes))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_faults_are_a_pure_function_of_the_seed(form: Form) -> None:
    """Issue 5: a seed that is printed gives the same storm again, another one another."""
    roles = [lane.role for lane in form.lanes]

    assert [planned(form, 7, role) for role in roles] == [planned(form, 7, role) for role in roles]
    assert [planned(form, 7, role) for role in roles] != [planned(form, 8, role) for role in roles]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("seed", range(20))
def test_one_round_of_faults_reaches_the_quorum_within_the_forms_length(form: Form, seed: int) -> None:
    """Nothing of it is left to chance: every role is killed and frozen often enough in time, one fault at a time."""
    reached = {name: getattr(form.quorum, name) for name in ("take_overs", "refusals")}
    weather = Weather(started=form.quorum.parents, **reached)
    for lane in form.lanes:
        faults = planned(form, seed, lane.role)
        for before, after in pairwise(faults):
            assert before.act != "freeze" or before.at_s + before.for_s <= after.at_s
        assert faults[-1].at_s + faults[-1].for_s <= form.length_s
        for fault in faults:
            weather.count(fault)

    assert [*list_missing(form.quorum, weather)] == []


def test_both_replicas_of_a_role_get_their_share() -> None:
    """Issue 5: two replicas each, neither of which is spared."""
    assert {fault.number for role in ROLES for fault in planned(LONG, 3, role)} == {1, 2}


def test_a_storm_that_missed_anything_is_not_stormy_enough() -> None:
    """Negative control of the quorum: each of its numbers counts."""
    quorum = Quorum(parents=1, kills=1, freezes=1, restarts=1, take_overs=1, refusals=1)
    weather = Weather()

    missing = [*list_missing(quorum, weather)]

    assert len(missing) == 2 * len(ROLES) + len(SERVERS) + 3
    weather.take_overs = weather.refusals = 1
    assert len([*list_missing(quorum, weather)]) == len(missing) - 2
