import { type PythonExports, RefusedCall, type SealedPython } from './sealedPython.ts'

/** Code, expressions to evaluate after it, and the time for all of it. */
export type PythonCase = { code: string; expressions: readonly string[]; timeoutMs: number }

/** The `repr` of each expression, null if it raises or the repr exceeds `MAX_REPR` bytes; or the reason why there are no values. */
export type CaseResult = { outcome: 'values'; values: (string | null)[] } | { outcome: 'error' | 'timeout' }

export type RunCode = (given: PythonCase) => CaseResult

/** Bytes of UTF-8. */
export const MAX_REPR = 400

/** `Py_file_input` and `Py_eval_input` of Python.h. */
const STATEMENTS = 257
const EXPRESSION = 258
/** `PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE`: the code is text even if its first lines declare another encoding. */
const TEXT_FLAGS = 0x900
const MINOR_VERSION = 14

/** A case cannot be read by Python, or there is no memory for it. */
class Unreadable extends Error {}

/**
 * Runs cases through the C API, so that measured code cannot reach any frame, object or name of ours.
 *
 * @returns a function that throws if the interpreter broke: it must not be used again.
 */
export function codeRunner({ exports: c, interruptAt, restore }: SealedPython): RunCode {
  return given => {
    const endsAtMs = performance.now() + given.timeoutMs
    interruptAt(endsAtMs)
    try {
      const values = evaluateAll(c, given)
      if (performance.now() >= endsAtMs) return { outcome: 'timeout' }
      return values ? { outcome: 'values', values } : { outcome: 'error' }
    } catch (error) {
      if (error instanceof RefusedCall || error instanceof Unreadable) return { outcome: 'error' }
      throw error
    } finally {
      interruptAt(Number.POSITIVE_INFINITY)
      restore()
    }
  }
}

function evaluateAll(c: PythonExports, { code, expressions }: PythonCase): (string | null)[] | null {
  const namespace = call(c, 'PyDict_New')
  call(c, 'PyDict_SetItemString', namespace, writeText(c, '__builtins__'), call(c, 'PyEval_GetBuiltins'))
  call(
    c,
    'PyDict_SetItemString',
    namespace,
    writeText(c, '__name__'),
    call(c, 'PyUnicode_FromString', writeText(c, 'solution')),
  )
  if (!run(c, code, STATEMENTS, namespace)) return null
  return expressions.map(expression => {
    call(c, 'PyErr_Clear')
    const value = run(c, expression, EXPRESSION, namespace)
    return value ? readRepr(c, value) : null
  })
}

/** @returns the value's address, 0 where Python raises. */
function run(c: PythonExports, source: string, kind: number, namespace: number): number {
  const flags = allocate(c, 8)
  const view = new DataView(c.memory.buffer)
  view.setInt32(flags, TEXT_FLAGS, true)
  view.setInt32(flags + 4, MINOR_VERSION, true)
  const compiled = call(c, 'Py_CompileStringExFlags', writeText(c, source), writeText(c, 'solution'), kind, flags, -1)
  return compiled && call(c, 'PyEval_EvalCode', compiled, namespace, namespace)
}

function readRepr(c: PythonExports, value: number): string | null {
  const text = call(c, 'PyObject_Repr', value)
  const size = allocate(c, 4)
  const at = text && call(c, 'PyUnicode_AsUTF8AndSize', text, size)
  if (!at) return null
  const length = new DataView(c.memory.buffer).getUint32(size, true)
  return length <= MAX_REPR ? new TextDecoder().decode(new Uint8Array(c.memory.buffer, at, length)) : null
}

/** The address of a zero-terminated copy. */
function writeText(c: PythonExports, text: string): number {
  if (text.includes('\0') || !text.isWellFormed()) throw new Unreadable()
  const bytes = new TextEncoder().encode(`${text}\0`)
  const at = allocate(c, bytes.length)
  new Uint8Array(c.memory.buffer).set(bytes, at)
  return at
}

function allocate(c: PythonExports, bytes: number): number {
  const at = call(c, 'malloc', bytes)
  if (!at) throw new Unreadable()
  return at
}

/** Addresses are unsigned, and WebAssembly's integers are not. */
function call(c: PythonExports, name: string, ...args: number[]): number {
  const f = c[name]
  if (!f) throw new TypeError(`This Pyodide has no ${name}.`)
  return f(...args) >>> 0
}
