"""Writes zones.bin and oracle.txt: what Python's zoneinfo and dateutil say about every zone from 2000 to 2100.

The Swift reader and rules must come to the same numbers (ZoneOracleTests). Nothing here shares code or tables with them:
zones come from the PyPI package tzdata, offsets from the standard library, month arithmetic from dateutil. It takes a
minute or two, so its output is committed. Run it again after a new edition of tzdata:

    python3 -m venv .paystream/oracle && .paystream/oracle/bin/pip install -r Tests/SchedulesTests/Oracle/requirements.txt
    .paystream/oracle/bin/python Tests/SchedulesTests/Oracle/generate.py
"""

import hashlib
import importlib.resources
import io
import os
import pathlib
import struct
import time as libc_time
import zoneinfo
from datetime import date, datetime, time, timedelta, timezone, tzinfo

import tzdata
from dateutil.relativedelta import relativedelta
from dateutil.rrule import DAILY, MONTHLY, WEEKLY, rrule

HERE = pathlib.Path(__file__).parent
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FIRST = int((datetime(2000, 1, 1, tzinfo=timezone.utc) - EPOCH).total_seconds())
LAST = int((datetime(2100, 1, 1, tzinfo=timezone.utc) - EPOCH).total_seconds())
DAY = 86_400
MASK = (1 << 64) - 1

# Footers that no zone of the database has, or had: Julian days, hours beyond a day, the south, negative saving.
FOOTERS = [
    "AAA0", "<+0330>-3:30", "AAA-14", "AAA12:34:56", "AAA3BBB,M3.2.0,M11.1.0", "AAA3BBB2:30,M3.2.0/2,M11.1.0/1:30:15",
    "AAA5BBB,J60,J300", "AAA5BBB,J59/0,J364/23", "AAA5BBB,59,300/24", "AAA5BBB,3/0,364/3", "AAA-10BBB,M10.1.0,M4.1.0/3",
    "AAA-10:30BBB-11,M10.1.0,M4.1.0", "AAA-2BBB,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
    "AAA-1BBB0,M10.5.0,M3.5.0/1", "AAA4BBB,M3.1.0/-167,M11.5.6/167", "AAA4BBB,M1.1.1/100,M12.5.0/-100",
    "AAA8BBB,J3,J4", "AAA9BBB8,M5.5.5/12,M9.1.2/36", "AAA1BBB-1,M4.1.0,M9.5.0",
    "AAA-5BBB-4:30,J100/3,J200/-3", "AAA6BBB,M3.5.6/24,M10.5.6/24", "AAA-3BBB-4,100/-24,250/48",
]

STARTS = [date(2000, 1, 31), date(2000, 2, 29), date(2003, 8, 30), date(2011, 12, 1), date(2019, 10, 27), date(2024, 3, 31)]
STEPS = [("day", 1), ("day", 10), ("week", 1), ("week", 3), ("month", 1), ("month", 5), ("quarter", 1), ("halfYear", 1), ("year", 1)]
ORDINALS = [1, 2, 3, 13, 30, 49, 150]
TIMES = [time(0, 0), time(2, 30), time(23, 45)]
MONTHS = {"month": 1, "quarter": 3, "halfYear": 6, "year": 12}


class Mixer:
    """A 64-bit digest of numbers that any language writes in a line."""

    def __init__(self):
        self.value = 0xCBF29CE484222325

    def add(self, number):
        self.value = ((self.value ^ (number & MASK)) * 0x100000001B3) & MASK
        self.value ^= self.value >> 29


class SystemZone(tzinfo):
    """The C library's reading of a TZ string; only instants may be asked for."""

    def __init__(self, text):
        self.text = text

    def fromutc(self, moment):
        os.environ["TZ"] = self.text
        libc_time.tzset()
        second = (moment.replace(tzinfo=timezone.utc) - EPOCH).total_seconds()
        self.offset = timedelta(seconds=libc_time.localtime(second).tm_gmtoff)
        return moment

    def utcoffset(self, moment):
        return self.offset

    def dst(self, moment):
        return None


def synthetic(footer):
    """A file without transitions whose footer says everything, and the same zone with its changes written out.

    zoneinfo of Python 3.11 counts the days of J59 and of zero-based footers one off, so the C library reads the footer.
    """
    zone = SystemZone(footer)
    winter = offset_at(zone, FIRST - 3660 * DAY)
    # Rules that begin in the years of the oracle reach beyond them.
    changes = transitions(zone, FIRST - 3660 * DAY, LAST + 36_600 * DAY)
    return tzif([], [winter], footer), tzif(changes, [winter], "")


def tzif(changes, offsets, footer):
    for _, before, after in changes:
        offsets += [offset for offset in (before, after) if offset not in offsets]
    header = b"TZif3" + bytes(15)
    first = header + struct.pack(">6L", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", offsets[0], 0, 0) + b"AAA\0"
    second = header + struct.pack(">6L", 0, 0, 0, len(changes), len(offsets), 4)
    second += b"".join(struct.pack(">q", at) for at, _, _ in changes)
    second += bytes(offsets.index(after) for _, _, after in changes)
    second += b"".join(struct.pack(">lBB", offset, 0, 0) for offset in offsets) + b"AAA\0"
    return first + second + b"\n" + footer.encode() + b"\n"


def offset_at(zone, second):
    return int((EPOCH + timedelta(seconds=second)).astimezone(zone).utcoffset().total_seconds())


def transitions(zone, first=FIRST, last=LAST):
    """Samples every day and halves what changed; no two changes of a zone are closer than that."""
    found, before = [], offset_at(zone, first)
    for end in range(first + DAY, last + 1, DAY):
        after = offset_at(zone, end)
        if after == before:
            continue
        low, high = end - DAY, end
        while high - low > 1:
            middle = (low + high) // 2
            if offset_at(zone, middle) == before:
                low = middle
            else:
                high = middle
        found.append((high, before, after))
        before = after
    return found


def instant(zone, local, fold):
    """The UTC second of a wall-clock second; fold 0 reads it with the offset before a change, fold 1 with that after it."""
    wall = (datetime(1970, 1, 1) + timedelta(seconds=local)).replace(tzinfo=zone, fold=fold)
    return local - int(wall.utcoffset().total_seconds())


def local_digest(zone, changes):
    mixer = Mixer()
    for at, before, after in changes:
        points = {at + edge + step for edge in (before, after) for step in (-1, 0, 1)} | {at + (before + after) // 2}
        for local in sorted(points):
            mixer.add(instant(zone, local, 0))
            mixer.add(instant(zone, local, 1))
    for local in range(FIRST, LAST, 97 * DAY + 4321):
        mixer.add(instant(zone, local, 0))
        mixer.add(instant(zone, local, 1))
    return mixer.value


def nominal(start, period, interval, ordinal):
    steps = (ordinal - 1) * interval
    if period == "day":
        return start + relativedelta(days=steps)
    if period == "week":
        return start + relativedelta(weeks=steps)
    return start + relativedelta(months=steps * MONTHS[period])


def check_arithmetic():
    """dateutil's two calendars must agree where both apply: rrule leaves months without the day out."""
    for start in STARTS:
        moment = datetime.combine(start, time())
        for frequency, period in ((DAILY, "day"), (WEEKLY, "week")):
            for index, found in enumerate(rrule(frequency, dtstart=moment, interval=3, count=150)):
                assert found.date() == nominal(start, period, 3, index + 1)
        short = {nominal(start, "month", 1, n) for n in range(1, 151)}
        assert all(found.date() in short for found in rrule(MONTHLY, dtstart=moment, count=80))
    last = [nominal(date(2000, 1, 31), "month", 1, n) for n in range(1, 151)]
    assert last == [d.date() for d in rrule(MONTHLY, dtstart=datetime(2000, 1, 31), bymonthday=-1, count=150)]


def rule_cases():
    for start in STARTS:
        for period, interval in STEPS:
            for ordinal in ORDINALS:
                for clock in TIMES:
                    yield start, period, interval, ordinal, clock, nominal(start, period, interval, ordinal)


def rule_digest(zone, cases):
    mixer = Mixer()
    for index, (_, _, _, _, clock, day) in enumerate(cases):
        local = (datetime.combine(day, clock) - datetime(1970, 1, 1)) // timedelta(seconds=1)
        mixer.add(instant(zone, local, index % 2))
    return mixer.value


def zone_files():
    root = importlib.resources.files("tzdata.zoneinfo")
    names = (importlib.resources.files("tzdata") / "zones").read_text().split()
    for name in sorted(names):
        content = (root / name).read_bytes()
        yield name, content, content
    for index, footer in enumerate(FOOTERS):
        content, spelled = synthetic(footer)
        yield f"Synthetic/{index:02}", content, spelled


def main():
    check_arithmetic()
    cases = list(rule_cases())
    blob, places, lines = bytearray(), {}, [f"# tzdata {tzdata.IANA_VERSION}; see generate.py"]
    for name, content, read in zone_files():
        digest = hashlib.sha256(content).hexdigest()
        if digest not in places:
            zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(read), key=name)
            changes, mixer = transitions(zone), Mixer()
            for change in changes:
                for number in change:
                    mixer.add(number)
            places[digest] = len(places)
            lines.append(
                f"zone {digest} {len(blob)} {len(content)} {len(changes)} {mixer.value:x}"
                f" {local_digest(zone, changes):x} {rule_digest(zone, cases):x}"
            )
            blob += content
        lines.append(f"name {name} {places[digest]}")
    lines.append(f"cases {len(cases)}")
    for start, period, interval, ordinal, clock, day in cases[::11]:
        lines.append(f"date {start} {period} {interval} {ordinal} {day}")
    (HERE / "zones.bin").write_bytes(blob)
    (HERE / "oracle.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
