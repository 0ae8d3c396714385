/**
 * The sandboxed process: Python in WebAssembly. Started by startSandboxChild.ts with an empty environment and Node's
 * permission flags; reads cases as JSON lines on stdin, writes one JSON line a case on stdout.
 *
 * Measured code sees neither: the lines and the case's id exist in JavaScript only, which nothing in Python can call
 * or reach. Below that, the process itself has little left to reach: no network functions, no process functions, no
 * code from strings, and memory that stops growing at the limit.
 */
import { constants, readFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { codeRunner, type PythonCase } from './runCode.ts'
import { openSealedPython } from './sealedPython.ts'

type WasmMemory = { buffer: ArrayBuffer; grow(pages: number): number }

/**
 * Makes imports of the bridge fail at once, and seeds random numbers again, which would otherwise repeat those of the snapshot. A recursion through
 * C, as of a function with `lru_cache`, outgrows the native stack from 800 calls on: Python's own limit of 1,000 would end the process.
 */
const PRELUDE = `
import random, sys
random.seed()
for name in ["js", "pyodide_js", "_pyodide_core", *sys.modules]:
    if name.split(".")[0] in ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core"):
        sys.modules[name] = None
sys.meta_path[:] = [f for f in sys.meta_path if isinstance(f, type) and "pyodide" not in f.__module__]
sys.setrecursionlimit(700)
`

const [pyodideUrl = '', memoryLimitMb = '512', snapshotFile] = process.argv.slice(2)

const snapshot = snapshotFile === undefined ? undefined : readFileSync(snapshotFile)
limitMemory(Number(memoryLimitMb))
removeCapabilities()
const python = await openSealedPython(pyodideUrl, PRELUDE, snapshot)
const run = codeRunner(python)
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...given } = JSON.parse(line) as PythonCase & { id: string }
  writeLine({ id, ...run(given) })
  if (python.isOutgrown()) process.exit()
}

function writeLine(message: object): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(1, bytes, sent)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

function limitMemory(megabytes: number): void {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } }
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (pages: number): number {
    if (this.buffer.byteLength + pages * 65_536 > megabytes * 1_048_576) throw new RangeError('memory limit')
    return grow.call(this, pages)
  }
}

function removeCapabilities(): void {
  const networked = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'BroadcastChannel', 'navigator'] as const
  for (const name of networked) Reflect.deleteProperty(globalThis, name)
  // Emscripten's file system asks for the constants of open(2) and nothing else.
  const bindings = { fs: constants }
  const stripped = { binding: () => bindings, getBuiltinModule: undefined, dlopen: undefined, kill: undefined }
  for (const [name, value] of Object.entries(stripped)) Reflect.defineProperty(process, name, { value })
}
