/**
 * The sandboxed process: Python in WebAssembly. Started by createSandbox.ts with an empty environment and Node's
 * permission flags; reads batches of cases as JSON lines on stdin, writes one JSON line a case on stdout.
 *
 * Python can reach JavaScript, so nothing is left there to reach: no bridge modules, no network functions, no
 * process functions, no code from strings, and memory that stops growing at the limit.
 */
import { constants, readFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

type WasmMemory = { buffer: ArrayBuffer; grow(pages: number): number }
type Request = { cases: { code: string; tests: string; isExpressions: boolean }[] }

const [pyodideUrl = '', harnessPath = '', timeLimitSeconds = '1', memoryLimitMb = '512'] = process.argv.slice(2)

limitMemory(Number(memoryLimitMb))
removeCapabilities()
const { loadPyodide } = (await import(pyodideUrl)) as typeof import('pyodide')
const python = await loadPyodide({ jsglobals: Object.create(null), stdout: () => {}, stderr: () => {} })
python.runPython(readFileSync(harnessPath, 'utf8'))
const run = python.runPython(`build_harness(${Number(timeLimitSeconds)})`) as (...args: unknown[]) => string
writeLine({ ready: true })

for await (const line of createInterface({ input: process.stdin })) {
  const { cases } = JSON.parse(line) as Request
  for (const { code, tests, isExpressions } of cases) {
    try {
      writeLine({ outcome: run(code, tests, isExpressions) })
    } catch {
      // Pyodide does not survive what gets here (a native stack overflow): the parent starts another.
      writeLine({ outcome: 'error' })
      process.exit(1)
    }
  }
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
