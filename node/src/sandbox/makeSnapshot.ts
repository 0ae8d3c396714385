/**
 * Writes the memory of a Python that has just started and imported the libraries of small functions: `node makeSnapshot.ts PYODIDE_URL FILE`. It
 * runs only our own imports.
 */
import { writeFile } from 'node:fs/promises'
import { closedStreams, LIBRARIES } from './sealedPython.ts'

const [pyodideUrl = '', file = ''] = process.argv.slice(2)

const { loadPyodide } = (await import(pyodideUrl)) as typeof import('pyodide')
const python = await loadPyodide({ _makeSnapshot: true, jsglobals: Object.create(null), ...closedStreams })
python.runPython(LIBRARIES)
await writeFile(file, python.makeMemorySnapshot())
