"""Runs one case at a time inside the sandbox: the code, then its tests or expressions. Loaded by sandboxChild.ts."""


def build_harness(time_limit_seconds):
    import builtins
    import sys
    import time

    bridges = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")
    for name in [*sys.modules, *bridges]:
        if name.split(".")[0] in bridges:
            sys.modules[name] = None  # an import of it now fails
    sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type) and "pyodide" not in finder.__module__]
    sys.setrecursionlimit(400)

    class Overtime(BaseException):
        pass

    deadline = [0.0]
    steps = [0]
    monitoring, tool = sys.monitoring, sys.monitoring.DEBUGGER_ID
    events = monitoring.events.JUMP | monitoring.events.PY_START
    clock = time.perf_counter

    def check_time(*_):
        steps[0] += 1
        if steps[0] & 127 == 0 and clock() > deadline[0]:
            raise Overtime

    def watch():
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, "time limit")
        monitoring.register_callback(tool, monitoring.events.JUMP, check_time)
        monitoring.register_callback(tool, monitoring.events.PY_START, check_time)
        monitoring.set_events(tool, events)

    kept_builtins = dict(vars(builtins))
    kept_modules = dict(sys.modules)

    def restore():
        here = vars(builtins)
        if len(here) != len(kept_builtins) or any(here.get(name) is not kept_builtins[name] for name in kept_builtins):
            here.clear()
            here.update(kept_builtins)
        for name in kept_modules:
            if sys.modules.get(name, kept_modules) is not kept_modules[name]:
                sys.modules[name] = kept_modules[name]

    def run(code, tests, is_expressions):
        """'pass', 'fail', 'error' or 'timeout' for tests; 'values' and one repr a line for expressions."""
        namespace = {"__name__": "solution", "__builtins__": builtins}
        try:
            watch()
            deadline[0] = clock() + time_limit_seconds
            exec(compile(code, "solution", "exec"), namespace)
            if not is_expressions:
                exec(compile(tests, "tests", "exec"), namespace)
                return "pass"
            return "values\n" + "\n".join([evaluated(line, namespace) for line in tests.split("\n")])
        except Overtime:
            return "timeout"
        except AssertionError:
            return "fail"
        except BaseException:
            return "error"
        finally:
            try:
                monitoring.set_events(tool, 0)
            except BaseException:
                pass
            restore()

    def evaluated(expression, namespace):
        try:
            text = repr(eval(expression, namespace))
        except Exception:
            return ""
        return text if len(text) <= 400 and "\n" not in text else ""

    return run
