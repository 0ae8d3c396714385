/** Code that attacks its host, by the kind of attack; none computes `f(x) = 2 * x`. */
export const hostileCases: Record<string, string> = {
  'an endless loop': 'while True:\n    pass',
  'an endless loop that catches everything': `
while True:
    try:
        x = 1
    except BaseException:
        pass`,
  'a hang in C': 'def f(x):\n    return sum(range(10 ** 14))',
  'a silent signal and an endless loop': `
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True:
    pass`,
  'a fork bomb': 'import os\nwhile True:\n    os.fork()',
  'an allocation bomb': 'x = []\nwhile True:\n    x.append(bytearray(1 << 20))',
  'endless recursion': 'def f(x):\n    return f(x)',
  'endless recursion in C': 'x = []\nfor _ in range(10 ** 5):\n    x = [x]\nf = lambda _: repr(x)',
  'sys.exit': 'import sys\nsys.exit(0)',
  'os._exit': 'import os\nos._exit(0)',
  abort: 'import os\nos.abort()',
  'no built-ins': 'import builtins\nfor name in list(vars(builtins)):\n    delattr(builtins, name)',
  'a repr that answers': `
import builtins
class Liar(str):
    __eq__ = lambda *_: True
    __ne__ = lambda *_: False
    __hash__ = str.__hash__
class Lying:
    __repr__ = lambda _: Liar('anything')
    __eq__ = lambda *_: True
builtins.repr = repr = lambda _: Liar()
f = lambda _: Lying()`,
  'other assertions': `
import builtins
class Never(BaseException):
    pass
builtins.AssertionError = AssertionError = Never
f = lambda _: 0`,
  'the frames above': `
import sys
frame = sys._getframe()
while frame:
    for name in ('tests', 'outcome', 'verdict', 'expected', 'is_expressions'):
        try:
            frame.f_locals[name] = ''
        except BaseException:
            pass
    frame = frame.f_back
f = lambda _: 0`,
  'a trace function that skips lines': `
import sys
def skip(frame, event, arg):
    try:
        frame.f_lineno = frame.f_lineno + 1
    except ValueError:
        pass
    return skip
sys.settrace(skip)
f = lambda _: 0`,
  'every function found by the collector': `
import gc, types
for o in gc.get_objects():
    if isinstance(o, types.FunctionType) and o.__module__ != __name__:
        try:
            o.__code__ = (lambda *a, **k: 'pass').__code__
        except BaseException:
            pass
f = lambda _: 0`,
  'every cell found by the collector': `
import gc, types
for o in gc.get_objects():
    if isinstance(o, types.CellType):
        try:
            o.cell_contents = None
        except BaseException:
            pass
f = lambda _: 0`,
  'every module emptied': `
import sys
for m in list(sys.modules.values()):
    try:
        vars(m).clear()
    except BaseException:
        pass`,
  'a collector that never collects':
    'import gc\ngc.disable()\ngc.freeze()\ngc.callbacks.append(lambda *_: 1 / 0)\nf = lambda _: 0',
  'printed verdicts': `
import os, sys
for line in ('{"outcome":"pass"}\\n', '{"id":"","values":["4"]}\\n', 'pass\\n'):
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        stream.write(line * 10)
        stream.flush()
    for fd in range(8):
        try:
            os.write(fd, line.encode())
        except OSError:
            pass
f = lambda _: 0`,
  'the cases that come next, read': `
import sys
stolen = sys.stdin.read()
open(0).read()
f = lambda _: 0`,
  'closed streams':
    'import os\nfor fd in range(64):\n    try:\n        os.close(fd)\n    except OSError:\n        pass\nf = lambda _: 0',
  'huge output': "for _ in range(200):\n    print('x' * 10 ** 6)\nf = lambda _: 0",
  'a huge value': "f = lambda x: 'x' * 10 ** 7",
  'a hang in a destructor': `
class Forever:
    def __del__(self):
        while True:
            pass
kept = Forever()
f = lambda _: 0`,
  'a hang at exit': 'import atexit\natexit.register(lambda: [None for _ in iter(int, 1)])\nf = lambda _: 0',
  'a thread': "import threading\nthreading.Thread(target=lambda: print('x')).start()\nf = lambda _: 0",
  'a poisoned library': `
import os
for folder in ('/lib/python3.14', '/home/pyodide', os.getcwd(), '/tmp'):
    for name in ('bisect', 'sitecustomize'):
        try:
            with open(f'{folder}/{name}.py', 'w') as file:
                file.write('bisect_left = lambda *_: 0')
        except OSError:
            pass
import bisect
bisect.bisect_left = lambda *_: 0
f = lambda _: 0`,
  'memory written at will': `
import ctypes
for at in range(1 << 16, 1 << 22, 4):
    ctypes.c_uint32.from_address(at).value = 0xdeadbeef
f = lambda _: 0`,
  'JavaScript spoilt': `
import sys
for name in ('js', 'pyodide_js', '_pyodide_core'):
    sys.modules.pop(name, None)
from _pyodide_core import to_js
to_js([]).constructor.prototype.push = None
f = lambda _: 0`,
  'JavaScript objects found by the collector': `
import gc
for o in gc.get_objects():
    if 'JsProxy' in type(o).__name__:
        o.constructor.prototype.toJSON = lambda *_: 'pass'
f = lambda _: 0`,
  'not UTF-8': 'f = lambda _: "\ud800"',
  'a zero byte': 'f = lambda x: 0\n\0',
}
