"""Writes zones.bin and oracle.txt: what Python's zoneinfo and dateutil say about every zone from 2000 to 2100.

The Swift reader and rules must come to the same numbers (ZoneOracleTests). Nothing here shares code or tables with them:
zones come from the PyPI package tzdata, offsets from the standard library, month arithmetic from dateutil. It takes a
minute or two, so its output is committed. Run it again after a new edition of tzdata:

    python3 -m venv .paystream/oracle && .paystream/oracle/bin/pip install -r Tests/SchedulesTests/Oracle/requirements.txt
    .paystream/oracle/bin/python Tests/SchedulesTests/Oracle/generate.py
"""

import bisect
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
from dateutil.rrule import DAILY, FR, MO, MONTHLY, TH, TU, WE, WEEKLY, rrule, rruleset

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
ANCHORS = [1, 15, 29, 30, 31]

# Working days from Monday to Friday, but for a long run of holidays around each new year and single ones; some Saturdays make up.
HOLIDAYS = [date(year, month, day) for year in range(1999, 2040) for month, day in ((12, 30), (12, 31), (1, 1), (1, 2), (3, 1), (5, 31))]
WORKDAYS = [date(year, 2, day) for year in range(1999, 2040) for day in range(1, 8) if date(year, 2, day).isoweekday() == 6]
SHIFTS = ["following", "preceding", "modifiedFollowing", "modifiedPreceding"]


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


def gap_digest(zone, changes):
    """Wall-clock seconds around each change, where those that the clocks leap over mean the moment of the leap."""
    mixer = Mixer()
    for at, before, after in changes:
        for local in sorted({at + edge + step for edge in (before, after) for step in (-1, 0, 1)} | {at + (before + after) // 2}):
            mixer.add(at if at + before <= local < at + after else instant(zone, local, 0))
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


def anchored(start, period, interval, anchor, ordinal):
    """The anchor's day of the month, or the month's last; one before the start's day begins in the next month."""
    months = (ordinal - 1) * interval * MONTHS[period] + (1 if anchor < start.day else 0)
    return start + relativedelta(months=months, day=anchor)


def anchor_lines():
    for start in STARTS:
        for anchor in ANCHORS:
            expected = [anchored(start, "month", 1, anchor, n) for n in range(1, 101)]
            # The last of the days 28 to the anchor's that a month has, as dateutil's other calendar finds it.
            days = [anchor] if anchor <= 28 else list(range(28, anchor + 1))
            found = rrule(MONTHLY, dtstart=datetime.combine(start, time()), bymonthday=days, bysetpos=-1, count=100)
            assert [one.date() for one in found] == expected, (start, anchor)
            for period, interval, ordinal in (("month", 1, 2), ("month", 5, 13), ("quarter", 1, 7), ("halfYear", 1, 30), ("year", 1, 49)):
                yield f"anchor {start} {period} {interval} {anchor} {ordinal} {anchored(start, period, interval, anchor, ordinal)}"


def business_days():
    days = rruleset()
    days.rrule(rrule(DAILY, dtstart=datetime(1999, 1, 1), until=datetime(2039, 12, 31), byweekday=(MO, TU, WE, TH, FR)))
    for day in HOLIDAYS:
        days.exdate(datetime.combine(day, time()))
    for day in WORKDAYS:
        days.rdate(datetime.combine(day, time()))
    return [one.date() for one in days]


def shifted(day, shift, first, last, days):
    place = bisect.bisect_left(days, day)
    if days[place] == day:
        return day
    after = days[place] if last is None or days[place] <= last else None
    before = days[place - 1] if days[place - 1] >= first else None
    order = [after, before] if shift in ("following", "modifiedFollowing") else [before, after]
    if shift.startswith("modified"):
        order.sort(key=lambda one: one is None or (one.year, one.month) != (day.year, day.month))
    return next((one for one in order if one is not None), day)


def business_lines():
    days = business_days()
    for start in STARTS:
        for period, interval in (("day", 1), ("week", 3), ("month", 1), ("quarter", 1)):
            for ordinal in range(1, 25):
                day = nominal(start, period, interval, ordinal)
                # The last date binds shifted days, too.
                for last in (None, day, day + timedelta(days=2)):
                    for shift in SHIFTS:
                        found = shifted(day, shift, start, last, days)
                        if found != day or ordinal % 8 == 0:
                            yield f"business {start} {period} {interval} {ordinal} {shift} {last or '-'} {found}"


def end_lines():
    for start in STARTS:
        for period, interval in STEPS:
            for last in (start, start + timedelta(days=29), start + relativedelta(months=7), start + relativedelta(years=9)):
                count = 0
                while nominal(start, period, interval, count + 1) <= last:
                    count += 1
                yield f"until {start} {period} {interval} {last} {count}"


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
                f" {local_digest(zone, changes):x} {rule_digest(zone, cases):x} {gap_digest(zone, changes):x}"
            )
            blob += content
        lines.append(f"name {name} {places[digest]}")
    lines.append(f"cases {len(cases)}")
    for start, period, interval, ordinal, clock, day in cases[::11]:
        lines.append(f"date {start} {period} {interval} {ordinal} {day}")
    lines += [f"holiday {day}" for day in HOLIDAYS] + [f"workday {day}" for day in WORKDAYS]
    lines += [*anchor_lines(), *list(business_lines())[::5], *end_lines()]
    (HERE / "zones.bin").write_bytes(blob)
    (HERE / "oracle.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
