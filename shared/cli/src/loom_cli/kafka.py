"""`loom topics` and `loom dead-letters`: what an operator does at the brokers themselves."""

from __future__ import annotations

import logging
import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from loom_cli.command import Command, Session, declare_json
from loom_cli.exits import Exit
from loom_cli.sheets import Sheet, shorten

if TYPE_CHECKING:
    from loom_servicekit.bus.kafka.dead_letters import Letter
    from loom_servicekit.bus.settings import KafkaSettings

DETAIL = 60


class NoBrokers(Exception):
    """The environment does not say where they are, or says it wrongly."""


def _settings() -> KafkaSettings:
    from loom_servicekit.bus.settings import KafkaSettings
    from loom_servicekit.settings import SettingsError, read_settings

    try:
        settings = read_settings(KafkaSettings, os.environ, "LOOM_KAFKA_")
    except SettingsError as error:
        raise NoBrokers(str(error)) from None
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # what fails comes as an error, and is told once
    if not settings.bootstrap:
        raise NoBrokers("LOOM_KAFKA_BOOTSTRAP: is required: HOST:PORT of a broker")
    return settings


def _declare_topics(parser: ArgumentParser) -> None:
    parser.add_argument("act", metavar="ACT", choices=("check", "create"), help="check, or create those missing")
    parser.add_argument("--replication", type=int, default=3, metavar="N", help="replicas of what is created (3)")
    declare_json(parser)


async def _topics(args: Namespace, session: Session) -> Exit:
    try:
        settings = _settings()
    except NoBrokers as fault:
        session.output.note(str(fault))
        return Exit.USAGE
    from loom_servicekit.bus.kafka.topics import check_topics, create_topics

    if args.act == "create":
        created = await create_topics(settings, replication=args.replication)
        session.output.word({"created": created}, f"created {', '.join(created)}" if created else "all are there")
        return Exit.COMPLETED
    differences = await check_topics(settings)
    if not differences:
        session.output.word({"differences": []}, "all are as they should be")
        return Exit.COMPLETED
    session.output.result({"differences": differences}, Sheet(("difference",), tuple((one,) for one in differences)))
    return Exit.FAILED


def _declare_letters(parser: ArgumentParser) -> None:
    parser.add_argument("act", metavar="ACT", choices=("list", "replay"), help="list, or replay those not replayed yet")
    parser.add_argument("--all", action="store_true", help="list those that were replayed, too")
    declare_json(parser)


async def _letters(args: Namespace, session: Session) -> Exit:
    try:
        settings = _settings()
    except NoBrokers as fault:
        session.output.note(str(fault))
        return Exit.USAGE
    from loom_servicekit.bus.kafka.dead_letters import Box, form_of

    async with Box.open(settings) as box:
        replayed = args.act == "replay"
        letters = await box.replay() if replayed else await box.read(replayed=args.all)
    document = {"replayed" if replayed else "letters": [form_of(letter) for letter in letters]}
    if letters:
        session.output.result(document, _sheet(letters))
    else:
        session.output.word(document, "none to replay" if replayed else "none")
    return Exit.COMPLETED


def _sheet(letters: list[Letter]) -> Sheet:
    columns = ("topic", "partition", "offset", "key", "group", "attempts", "error")
    return Sheet(columns, tuple(_row(letter) for letter in letters))


def _row(letter: Letter) -> tuple[str, ...]:
    error = shorten(f"{letter.error}: {letter.detail}", DETAIL)
    origin = (letter.topic, str(letter.original_partition), str(letter.original_offset))
    return (*origin, letter.key, letter.group, str(letter.attempts), error)


COMMANDS = (
    Command("topics", "check the topics of Kafka, or create them", _declare_topics, _topics),
    Command("dead-letters", "list or replay what consumers gave up on", _declare_letters, _letters),
)
