"""compose.yaml and the Dockerfile say what the code takes. Docker itself is not run here."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import yaml

from fixtures.variables import SETTINGS, variables_of
from loom_cli.__main__ import COMMANDS
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.settings import SettingsError, read_settings
from repo.tree import ROOT

OTHERS = {"migrate": {"LOOM_DB_OWNER_URL"}, "topics": set(variables_of(KafkaSettings, "LOOM_KAFKA_"))}


def read_services() -> dict[str, Any]:
    """The services of compose.yaml that run our image."""
    services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    return {name: service for name, service in services.items() if service["image"] == "loom"}


def list_faults(name: str, environ: dict[str, str]) -> list[str]:
    """Variables that this service does not read, and values that it would refuse."""
    if name in OTHERS:
        return sorted(set(environ) - OTHERS[name])
    unknown = sorted(set(environ) - set(variables_of(SETTINGS[name])))
    try:
        read_settings(SETTINGS[name], environ)
    except SettingsError as error:
        return [*unknown, *str(error).splitlines()]
    return unknown


def test_every_service_is_started_by_a_command_that_exists() -> None:
    """A container of each, and the two that prepare the ground."""
    services = read_services()

    assert set(services) == {*SETTINGS, *OTHERS}
    assert {service["command"][0] for service in services.values()} <= {command.name for command in COMMANDS}
    assert all(service["command"][0] == name for name, service in services.items())


def test_every_service_is_told_only_what_it_reads() -> None:
    """Issue 5: a name that nobody reads would be a setting that nobody set."""
    faults = {name: list_faults(name, service["environment"]) for name, service in read_services().items()}

    assert faults == {name: [] for name in faults}


def test_a_name_that_nobody_reads_is_noticed() -> None:
    """Negative control for the rule above: a slip of the pen, another service's variable, a value that is none."""
    faults = list_faults("retention", {"LOOM_EVENTSTORE_URL": "x", "LOOM_TIMERS_URL": "x", "LOOM_PORT": "many"})

    assert faults[:2] == ["LOOM_EVENTSTORE_URL", "LOOM_TIMERS_URL"]
    assert faults[2].startswith("LOOM_PORT")


def test_each_service_is_asked_for_its_own_health() -> None:
    """Operations 3: `loom healthcheck` for containers."""
    asked = {name: read_services()[name]["healthcheck"]["test"] for name in SETTINGS}

    assert asked == {name: ["CMD", "loom", "healthcheck", name] for name in SETTINGS}


def test_addresses_lead_to_the_ports_on_which_services_listen() -> None:
    """Each by its name in this network and its own default port."""
    ports = {name: variables_of(cls)["LOOM_PORT"] for name, cls in SETTINGS.items()}
    told = [
        re.fullmatch(r"http://([a-z-]+):([0-9]+)", value)
        for name in SETTINGS
        for value in read_services()[name]["environment"].values()
        if value.startswith("http")
    ]

    assert {(found[1], int(found[2])) for found in told if found} <= set(ports.items())
    assert all(told)


def test_the_broker_is_the_one_that_the_tests_run() -> None:
    """What is proven on one version is run on it."""
    pom = ElementTree.parse(ROOT / "tools" / "kafka" / "pom.xml").getroot()
    (version,) = [element.text for element in pom.iter() if element.tag.endswith("kafka.version")]
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]

    assert services["kafka"]["image"].split(":")[1] == version


def test_the_image_has_every_distribution() -> None:
    """Whatever the command may import is in it."""
    folders = {str(path.parent.relative_to(ROOT)) for path in ROOT.glob("*/*/pyproject.toml")}

    assert set(re.findall(r"\./([a-z]+/[a-z-]+)", (ROOT / "Dockerfile").read_text("utf-8"))) == folders
