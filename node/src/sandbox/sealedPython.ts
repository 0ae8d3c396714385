/** CPython's C API and the interpreter's memory, addressed by integers. */
export type PythonExports = Record<string, (...args: number[]) => number> & {
  memory: { buffer: ArrayBuffer }
  __stack_pointer: { value: number }
}

/** A Python interpreter that is restored to one state after each use. */
export type SealedPython = {
  exports: PythonExports
  /** Python is interrupted from this time on, `performance.now()`. */
  interruptAt(timeMs: number): void
  /** Restores every byte of memory, the stack and the open files. */
  restore(): void
  /** Memory does not shrink, and all of it is cleared after each use: true once that takes longer than a new start pays. */
  isOutgrown(): boolean
}

type Callable = (...args: number[]) => number
type Imports = Record<string, Record<string, unknown>>
type Instantiate = (source: unknown, imports: Imports) => Promise<{ instance: { exports: PythonExports } }>

/** Python called a function outside of its memory. The interpreter is sound once restored. */
export class RefusedCall extends Error {}

/** All that Python may call outside of its memory: the clock, random bytes, files that are read, and its own memory. */
const ALLOWED = new Set([
  ...['emscripten_get_now', 'emscripten_date_now', 'clock_time_get', 'clock_res_get', 'random_get'],
  ...['_tzset_js', '_timegm_js', '_mktime_js', '_localtime_js', '_gmtime_js', 'environ_get', 'environ_sizes_get'],
  ...['fd_close', 'fd_read', 'fd_write', 'fd_seek', 'fd_pread', 'fd_fdstat_get', '__syscall_getcwd'],
  ...['__syscall_fstat64', '__syscall_stat64', '__syscall_lstat64', '__syscall_newfstatat', '__syscall_getdents64'],
  ...['emscripten_resize_heap', 'emscripten_get_heap_max', 'can_run_sync_js'],
  ...['_PyEM_TrampolineCall_JS', '_Py_CheckEmscriptenSignals_Helper'],
])

/** O_WRONLY, O_RDWR, O_CREAT and O_TRUNC, as emscripten numbers them. */
const WRITING = 0o1103
const EPERM = 63
/** Standard input is the parent's requests: without a function of ours Python could read them. */
export const closedStreams = { stdin: () => null, stdout: () => {}, stderr: () => {} }

/** Libraries that small functions use, imported before the first case. */
export const LIBRARIES =
  'import bisect, collections, copy, functools, heapq, itertools, json, math, random, re, string, typing'

/** Clearing this takes about as long as restoring the rest. */
const MAX_GROWTH_BYTES = 64 << 20
const SIGINT = 2

/**
 * Loads Pyodide, runs the libraries' imports and `prelude`, and closes every way out of its memory.
 *
 * State outside of its memory cannot change, since nothing there can be called; the memory is copied back. So a use leaves nothing to the
 * next.
 *
 * @param snapshot - memory to begin with, of `makeSnapshot.ts`.
 */
export async function openSealedPython(
  pyodideUrl: string,
  prelude: string,
  snapshot?: Uint8Array,
): Promise<SealedPython> {
  let isSealed = false
  const loaded = interceptInstance(() => isSealed)
  const { loadPyodide } = (await import(pyodideUrl)) as typeof import('pyodide')
  const begin = snapshot === undefined ? {} : { _loadSnapshot: snapshot }
  const python = await loadPyodide({ jsglobals: Object.create(null), ...closedStreams, ...begin })
  const exports = loaded()
  const { FS: files } = (python as unknown as { _module: { FS: { streams: unknown[] } } })._module

  let interruptAtMs = Number.POSITIVE_INFINITY
  const signal = Object.defineProperty({}, 0, {
    get: () => (performance.now() >= interruptAtMs ? SIGINT : 0),
    set: () => {},
  })
  python.setInterruptBuffer(signal as Uint8Array)
  python.runPython(LIBRARIES)
  python.runPython(prelude)
  isSealed = true

  const memory = new Uint8Array(exports.memory.buffer).slice()
  const stack = exports.__stack_pointer.value
  const open = [...files.streams]
  return {
    exports,
    interruptAt: timeMs => {
      interruptAtMs = timeMs
    },
    restore: () => {
      const now = new Uint8Array(exports.memory.buffer)
      now.set(memory)
      now.fill(0, memory.length)
      exports.__stack_pointer.value = stack
      files.streams.splice(0, Number.POSITIVE_INFINITY, ...open)
    },
    isOutgrown: () => exports.memory.buffer.byteLength > memory.length + MAX_GROWTH_BYTES,
  }
}

/** Puts a guard before each function that the interpreter imports; returns a getter of its exports. */
function interceptInstance(isSealed: () => boolean): () => PythonExports {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { instantiate: Instantiate } }
  const instantiate = WebAssembly.instantiate
  let exports: PythonExports | undefined
  WebAssembly.instantiate = async (source, imports) => {
    if (!imports?.wasi_snapshot_preview1) return instantiate(source, imports)
    const guarded = Object.fromEntries(
      Object.entries(imports).map(([module, members]) => [module, guardMembers(members, isSealed)]),
    )
    const result = await instantiate(source, guarded)
    exports = result.instance.exports
    return result
  }
  return () => {
    if (!exports) throw new TypeError('This Pyodide does not load its interpreter through WebAssembly.instantiate.')
    return exports
  }
}

/** A proxy, as emscripten makes some members when they are first read. */
function guardMembers(members: Record<string, unknown>, isSealed: () => boolean): Record<string, unknown> {
  return new Proxy(members, {
    get(target, name: string) {
      const member = target[name]
      if (typeof member !== 'function' || ALLOWED.has(name)) return member
      return guard(name, member as Callable, isSealed)
    },
  })
}

function guard(name: string, call: Callable, isSealed: () => boolean): Callable {
  return (...args) => {
    if (!isSealed()) return call(...args)
    if (name === '__syscall_openat' && ((args[2] ?? 0) & WRITING) === 0) return call(...args)
    if (name.startsWith('__syscall')) return -EPERM
    throw new RefusedCall(name)
  }
}
