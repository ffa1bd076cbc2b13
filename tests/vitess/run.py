#!/usr/bin/python3
"""The tests of vstream on a real Vitess cluster.

  tests/vitess/run.py --vstream build/dev/cli/vstream [--seed N] [--long] [FILTER...]

With --long the long forms of the tests that have one, and only these: about half an hour. A FILTER is a part of a
test's name. Exit code: 0 all passed, 1 something failed, 77 the suite cannot run on this machine (which is a failure
when the environment has VSTREAM_VITESS=require).
"""

import argparse
import io
import os
import random
import signal
import sys
import time
import traceback
import unittest

sys.dont_write_bytecode = True  # the source tree stays as it is, also when root runs this

import selftest
import selftest_chaos
import selftest_images
import test_absences
import test_chaos
import test_charsets
import test_commands
import test_copies
import test_errors
import test_keyspaces
import test_lost_targets
import test_poison
import test_positions
import test_row_images
import test_selection
import test_until
import test_values
from check import TestFailure
from cluster import Cluster
from rig import install
from world import World

SHORT = (
    test_errors,
    test_commands,
    test_keyspaces,
    test_selection,
    test_values,
    test_charsets,
    test_row_images,
    test_absences,
    test_until,  # from here on keyspaces have other tables
    test_positions,  # purges binlogs: a new tablet cannot follow from the first change any more
    test_lost_targets,
    test_chaos,
    test_copies,
    test_poison,  # the last one
)
LONG = (test_values, test_row_images, test_chaos, test_copies, test_until)


def main():
    # Started in the background, a shell may have ours ignored, and what we start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = parse_arguments()
    tests = [
        (f"{module.__name__.removeprefix('test_')}: {test.__name__.replace('_', ' ')}", test)
        for module in (LONG if arguments.long else SHORT)
        for test in (module.LONG_TESTS if arguments.long else module.TESTS)
    ]
    chosen = [
        (name, test) for name, test in tests if not arguments.filters or any(f in name for f in arguments.filters)
    ]
    if not chosen:
        sys.exit(f"no test has {' or '.join(arguments.filters)} in its name")
    if not os.access(arguments.vstream, os.X_OK):
        sys.exit(f"{arguments.vstream} is no program")
    if not comparison_is_sound():
        return 1
    try:
        installed = install.ensure()
    except install.CannotRunHere as reason:
        return skipped(reason)
    print(f"vitess: seed {arguments.seed}", flush=True)
    with Cluster(installed) as cluster:
        began = time.monotonic()
        try:
            cluster.start()
            world = World(cluster, arguments.vstream, arguments.seed, arguments.logs)
            world.create_tables()
        except Exception:
            show_logs(cluster)
            raise
        print(f"vitess: the cluster is up after {time.monotonic() - began:.0f} s", flush=True)
        failed = sum(not passes(name, test, world) for name, test in chosen)
        if failed:
            show_logs(cluster)
    print(f"vitess: {len(chosen) - failed} passed, {failed} failed (seed {arguments.seed})", flush=True)
    return 1 if failed else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vstream", required=True, metavar="PATH", help="the program under test")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of the values; printed"
    )
    parser.add_argument("--long", action="store_true", help="run the long forms, and only these")
    parser.add_argument("--logs", metavar="FOLDER", help="where a test's talk is kept; default: nowhere")
    parser.add_argument("filters", nargs="*", metavar="FILTER", help="a part of the names of the tests to run")
    return parser.parse_args()


def comparison_is_sound():
    said = io.StringIO()
    tests = [unittest.defaultTestLoader.loadTestsFromModule(module) for module in (selftest, selftest_chaos, selftest_images)]
    result = unittest.TextTestRunner(said).run(unittest.TestSuite(tests))
    if not result.wasSuccessful():
        print(f"vitess: the self-test of the comparison failed\n{said.getvalue()}")
    return result.wasSuccessful()


def passes(name, test, world):
    began = time.monotonic()
    try:
        test(world)
    except (TestFailure, TimeoutError) as failure:
        report("FAIL", name, began, failure)
    except Exception:  # a defect of the test or of the cluster; the other tests still tell something
        report("FAIL", name, began, traceback.format_exc())
    else:
        report("pass", name, began)
        return True
    return False


def report(verdict, name, began, seen=None):
    print(f"{verdict}  {name} ({time.monotonic() - began:.1f} s)", flush=True)
    if seen:
        print("\n".join("      " + line for line in str(seen).splitlines()), flush=True)


def show_logs(cluster):
    for name, lines in cluster.complaints():
        print(f"---- complaints in {name}", *lines, sep="\n", flush=True)


def skipped(reason):
    required = os.environ.get("VSTREAM_VITESS") == "require"
    verdict, line = "REQUIRED but cannot run" if required else "SKIPPED", "!" * 78
    print(f"{line}\n!! The tests on a real Vitess cluster were {verdict}: {reason}\n{line}")
    return 1 if required else 77


if __name__ == "__main__":
    sys.exit(main())
