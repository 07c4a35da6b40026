from cli.nouns import BEGAN_AT, an_event
from loom.ids import Instant, Sequence, Token
from loom.kernel.calls import Ownership, Writes
from loom.kernel.heads import GrantRow, RefusalRow
from loom.kernel.raw_json import encode
from loom_cli.tokens import draw_tenures, list_tenures, tell_ownership


def token(counter: int) -> Token:
    """Of the first epoch."""
    return Token((1 << 32) | counter)


OWNERSHIP = Ownership(
    token=token(3),
    owner=None,
    lease_until=None,
    grants=(
        GrantRow(token=token(1), rule="claim", owner="w-1", at=BEGAN_AT),
        GrantRow(token=token(2), rule="claim", owner="w-2", at=Instant(BEGAN_AT + 5_000)),
    ),
    refusals=(
        RefusalRow(
            token=token(1),
            surface="events",
            code="stale",
            current_token=token(2),
            count=4,
            first_at=Instant(BEGAN_AT + 6_000),
            last_at=Instant(BEGAN_AT + 9_000),
        ),
    ),
    writes=(
        Writes(token=Token(0), first_seq=Sequence(1), last_seq=Sequence(1), count=1),
        Writes(token=token(2), first_seq=Sequence(2), last_seq=Sequence(4), count=3),
        Writes(token=token(3), first_seq=Sequence(5), last_seq=Sequence(5), count=1),
    ),
)
FIRST = {
    Sequence(1): an_event("EXECUTION_STARTED"),
    Sequence(5): an_event("EXECUTION_RESUMED", seq=5, after_ms=60_000),
}


def test_ownership_says_who_when_by_which_rule_and_what_each_wrote() -> None:
    """Design 5: the timeline of tokens; a bump that appends an event is told by that event."""
    told = [(row.shown, row.rule, row.owner, row.events) for row in list_tenures(OWNERSHIP, FIRST)]

    assert told == [
        ("0.0", "start", None, 1),
        ("1.1", "claim", "w-1", 0),
        ("1.2", "claim", "w-2", 3),
        ("1.3", "resume", None, 1),
    ]


def test_ownership_shows_the_late_writes_that_were_refused() -> None:
    """Field report 2.6: a doubled e-mail can be explained, since the refusal names both tokens."""
    rows = {row[0]: row for row in draw_tenures(list_tenures(OWNERSHIP, FIRST)).rows}

    assert rows["1.1"][4:] == ("nothing", "events 4 times: stale, 1.2 was current, last 2023-11-14 22:13:29.000Z")
    assert rows["1.2"][4:] == ("3 events, 2 to 4", "-")


def test_a_token_known_only_by_its_refusal_is_shown() -> None:
    """Grants keep the newest 1,000: an older token's refused write is not lost with its grant."""
    shorn = Ownership(
        token=token(9), owner="w", lease_until=BEGAN_AT, grants=(), refusals=OWNERSHIP.refusals, writes=()
    )

    assert [(row.shown, row.rule) for row in list_tenures(shorn, {})] == [("1.1", "-")]
    assert tell_ownership(shorn).pairs == (("token", "1.9"), ("owner", "w until 2023-11-14 22:13:20.000Z"))


def test_tokens_are_strings_in_json() -> None:
    """H40: a number above 2^53 is rounded by half the world's JSON readers."""
    assert f'"token":"{(1 << 32) | 2}"' in encode(list_tenures(OWNERSHIP, FIRST))
