import { afterAll, expect, test } from 'vitest'
import { createSandbox } from './createSandbox.ts'

const sandbox = createSandbox({ caseTimeoutMs: 30_000 })
afterAll(() => sandbox.close())

/** Each must raise: the verdict is 'error', and 'pass' would mean that the way out is open. */
const attempts: Record<string, string> = {
  'import of the JavaScript bridge': 'import js\njs.process',
  'import of the Pyodide bridge': 'import pyodide_js\npyodide_js.mountNodeFS',
  'running JavaScript': 'from pyodide.code import run_js\nrun_js("process")',
  'import after deleting the block': "import sys\ndel sys.modules['js']\nimport js\njs.process",
  'a function made from a string through a proxy of our own': `
import sys
del sys.modules['_pyodide_core']
from _pyodide_core import to_js
to_js([1]).constructor.constructor('return process')()`,
  'a function made from a string through any proxy left in memory': `
import gc
found = []
for o in gc.get_objects():
    if type(o).__name__ == 'JsProxy' or type(type(o)).__name__ == 'JsProxy':
        found.append(o.constructor.constructor('return process')().pid)
if not found:
    raise ImportError('nothing found')`,
  'a socket': "import socket\nsocket.create_connection(('127.0.0.1', 80), 1).send(b'x')",
  'a web request': "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/').read()",
  'a shell': "import os\nassert os.system('true') == 0 or 1 / 0",
  'a subprocess': "import subprocess\nsubprocess.run(['true'], check=True)",
  'a fork': 'import os\nos.fork()',
  'reading the host': "open('/etc/passwd').read()",
  'a native library': "import ctypes\nctypes.CDLL('libc.so.6')",
  'the environment of the host': "import os\nos.environ['PATH'] and open('/proc/self/environ').read()",
}

test.each(Object.entries(attempts))('%s does not get out.', async (_, code) => {
  expect(await sandbox.runTests([{ code, tests: [] }])).toEqual(['error'])
})

test('The sandbox still works after all of them.', async () => {
  expect(await sandbox.runTests([{ code: 'x = 1', tests: [{ expression: 'x', expected: '1' }] }])).toEqual(['pass'])
})
