# SPDX-License-Identifier: Apache-2.0
"""The register driver over a bus that behaves like a tile."""

from __future__ import annotations

from typing import Any

import pytest

from sluice.hardware.registers import RefusedError, RegisterMap, TileDriver
from sluice.support import paths
from sluice.support.errors import UserError

COMMIT, REFUSED, SNAPSHOT, MIN, MAX = 0x18, 0x1C, 0x20, 0x54, 0x58
IN_FORCE = 0x800
RECEIVED, UNFORCED_DROP, AVERAGE = 0x100, 0x138, 0x1C0


class ManyQueues:
    """Counts 100 packets more of each queue than of the one before it, and has no clock to read one for some snapshots."""

    SELECT, ACCEPTED = 0x30, 0x400

    def __init__(self, busy: int) -> None:
        self.queue, self.busy, self.snapshots = 0, busy, 0

    def read(self, address: int) -> int:
        if address == SNAPSHOT:
            return int(self.snapshots <= self.busy)
        return 100 * self.queue if address == self.ACCEPTED else 0

    def write(self, address: int, value: int) -> None:
        if address == self.SELECT:
            self.queue = value
        self.snapshots += address == SNAPSHOT


class TileBus:
    """Words behind addresses; a commit with min >= max is refused, as the rules say, and puts in force otherwise."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.snapshots = 0

    def read(self, address: int) -> int:
        return self.words.get(address, 0)

    def write(self, address: int, value: int) -> None:
        if address == REFUSED:
            self.words[REFUSED] = self.read(REFUSED) & ~value
        elif address == SNAPSHOT:
            self.snapshots += 1
        elif address == COMMIT:
            is_refused = self.read(MIN) >= self.read(MAX)
            self.words[REFUSED] = self.read(REFUSED) | is_refused << 4
            if not is_refused:
                self.words |= {MIN + IN_FORCE: self.read(MIN), MAX + IN_FORCE: self.read(MAX)}
        else:
            self.words[address] = value


@pytest.fixture
def bus() -> TileBus:
    return TileBus()


@pytest.fixture
def driver(bus: TileBus, red_registers: dict[str, Any]) -> TileDriver:
    return TileDriver(bus, RegisterMap(red_registers))


def test_values_cross_the_bus_in_their_format(bus: TileBus, driver: TileDriver) -> None:
    driver.configure({"min": 5.5, "max": 16})
    assert bus.words[MIN] == 5.5 * 2**14
    assert driver.read_parameter("min") == 5.5
    driver.stage("min", 7)
    assert (driver.read_staged("min"), driver.read_parameter("min")) == (7, 5.5)


def test_a_refused_set_names_its_rules(driver: TileDriver) -> None:
    with pytest.raises(RefusedError) as refused:
        driver.configure({"min": 20, "max": 10})
    assert refused.value.rules == ["min_below_max"]
    driver.configure({"min": 1, "max": 10})


def test_a_tile_that_never_finishes_is_reported(bus: TileBus, driver: TileDriver) -> None:
    bus.words[COMMIT] = 1
    with pytest.raises(UserError, match="does not finish"):
        driver.commit()


@pytest.mark.parametrize(("name", "value"), [("probability", 2.0), ("min", -1), ("limit", 1 << 18), ("nope", 1)])
def test_what_does_not_fit_is_refused_before_the_bus(bus: TileBus, driver: TileDriver, name: str, value: float) -> None:
    with pytest.raises(UserError, match=name):
        driver.stage(name, value)
    assert not bus.words


def test_counters_are_latched_once_and_read_in_two_words(bus: TileBus, driver: TileDriver) -> None:
    bus.words |= {RECEIVED: 7, RECEIVED + 4: 1, UNFORCED_DROP: 3}
    assert driver.snapshot() == {"received_packets": (1 << 32) + 7, "unforced_drop": 3}
    assert driver.reasons() == {"Unforced drop": 3}
    assert bus.snapshots == 1


def map_of_many() -> RegisterMap:
    return RegisterMap.load(paths.register_map("droptail-1k"))


def test_a_queues_counters_are_asked_for_until_they_are_there() -> None:
    bus = ManyQueues(busy=3)
    assert TileDriver(bus, map_of_many()).snapshot_of(7)["selected_accepted_packets"] == 700
    assert bus.snapshots == 4
    with pytest.raises(UserError, match="no clock is free"):
        TileDriver(ManyQueues(busy=1 << 30), map_of_many()).snapshot_of(7)


def test_counters_of_a_queue_that_has_none(driver: TileDriver) -> None:
    with pytest.raises(UserError, match="none of single queues"):
        driver.snapshot_of(0)
    with pytest.raises(UserError, match="queues 0 to 1023"):
        TileDriver(ManyQueues(busy=0), map_of_many()).snapshot_of(1024)


def test_status_has_its_unit(bus: TileBus, driver: TileDriver) -> None:
    bus.words[AVERAGE] = 3 << 13
    assert driver.read_status("average") == 1.5
