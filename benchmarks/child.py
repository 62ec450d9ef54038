"""The tasks that run in a separate process: ``python -m benchmarks.child TASK ARGUMENTS``."""

import json
import sys

from benchmarks import memory, sides
from benchmarks.cases import Case

TASKS = {"memory": memory.in_child, "side": sides.in_child}


def main(task, arguments):
    """Run a task and print its result as JSON.

    ``case`` and ``cases`` are given as dicts of the fields of `Case`.
    """
    arguments = json.loads(arguments)
    if "case" in arguments:
        arguments["case"] = Case(**arguments["case"])
    if "cases" in arguments:
        arguments["cases"] = [Case(**fields) for fields in arguments["cases"]]
    json.dump(TASKS[task](**arguments), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
