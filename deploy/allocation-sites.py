#!/usr/bin/env python3
"""Prints where a program allocates: by function, with everything beneath it, and by the innermost function of the program.

usage: deploy/allocation-sites.py PROGRAM COUNTS

PROGRAM is the executable with its symbols; COUNTS the file of a process that ran with PAYSTREAM_ALLOCATION_INTERVAL (its
memory map lies beside it as COUNTS.maps).
"""

import bisect
import collections
import struct
import subprocess
import sys

DEPTH, LIMIT = 40, 60000


def output(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def symbols(program):
    """Addresses and names of the program's functions, in order."""
    found = []
    for line in output("nm", "-n", "--defined-only", program).splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] in "tTwW":
            found.append((int(parts[0], 16), parts[2]))
    return found


def code_segment(program):
    """Offset in the file and address of the segment that is executed."""
    for line in output("readelf", "-lW", program).splitlines():
        parts = line.split()
        if parts and parts[0] == "LOAD" and "E" in line.split()[6:8]:
            return int(parts[1], 16), int(parts[2], 16)
    raise SystemExit(f"{program}: no code")


def mapped(maps, program):
    """Where the program's code lies in the process, and which offset of the file that is."""
    name = program.rsplit("/", 1)[-1]
    with open(maps) as lines:
        for line in lines:
            parts = line.split()
            if len(parts) > 5 and parts[1].startswith("r-x") and parts[5].rsplit("/", 1)[-1] == name:
                low, high = (int(end, 16) for end in parts[0].split("-"))
                return low, high, int(parts[2], 16)
    raise SystemExit(f"{maps}: {name} is not there")


def stacks(counts):
    with open(counts, "rb") as file:
        calls, size, interval, number = struct.unpack("4Q", file.read(32))
        print(f"{calls} allocations, {size} bytes; every {interval}th left its stack")
        for _ in range(min(number, LIMIT)):
            yield [frame for frame in struct.unpack(f"{DEPTH}Q", file.read(8 * DEPTH)) if frame]


def show(title, counter, total, rows):
    most = counter.most_common(rows)
    names = output("swift", "demangle", "-compact", text="\n".join(name for name, _ in most)).splitlines()
    print(f"\n{title}")
    for (_, count), name in zip(most, names):
        print(f"{100 * count / total:6.1f} %  {name[:180]}")


def main(program, counts):
    known = symbols(program)
    starts = [start for start, _ in known]
    offset, address = code_segment(program)
    low, high, base = mapped(counts + ".maps", program)
    inclusive, innermost, total = collections.Counter(), collections.Counter(), 0
    for stack in stacks(counts):
        total += 1
        names = []
        for frame in stack:
            if low <= frame < high:
                place = bisect.bisect(starts, frame - low + base - offset + address) - 1
                names.append(known[place][1])
        innermost[names[0] if names else "outside"] += 1
        inclusive.update(set(names))
    if not total:
        raise SystemExit(f"{counts}: no stacks; set PAYSTREAM_ALLOCATION_INTERVAL")
    show("with everything beneath", inclusive, total, 90)
    show("innermost", innermost, total, 50)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
