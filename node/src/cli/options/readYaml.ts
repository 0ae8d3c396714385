import { LineCounter, parseDocument } from 'yaml'
import { MAX_SETTINGS_BYTES } from '#store/folderFormat.ts'
import { UsageError } from '../usageError.ts'
import { readNamedFile } from './readNamedFile.ts'

/** More than a person writes; a file of aliases of aliases grows to gigabytes. */
const MAX_ALIASES = 100

/**
 * Reads and parses a YAML file.
 *
 * @throws {UsageError} that names file, line and kind of the first fault. It does not quote the file, which may hold a key.
 */
export function readYaml(path: string): unknown {
  const lines = new LineCounter()
  const text = readNamedFile(path, MAX_SETTINGS_BYTES)
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw notYaml(path, `line ${lines.linePos(fault.pos[0]).line}, ${inWords(fault.code)}`)
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (cause) {
    throw notYaml(path, 'aliases that repeat too much, or name nothing', cause)
  }
}

/** `DUPLICATE_KEY` as `duplicate key`. */
const inWords = (code: string) => code.toLowerCase().replaceAll('_', ' ')

function notYaml(path: string, fault: string, cause?: unknown): UsageError {
  return new UsageError(`${path} is not YAML with one setting a line: ${fault}.`, {
    hint: 'Correct it, or move it away.',
    cause,
  })
}
