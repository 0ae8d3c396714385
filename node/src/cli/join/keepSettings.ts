import { realpathSync, statSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, parseDocument, stringify } from 'yaml'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import { redactUrls } from '#core/redactUrls.ts'
import { MAX_SETTINGS_BYTES } from '#store/folderFormat.ts'
import { UsageError } from '../usageError.ts'
import { fromAnywhere } from './fromAnywhere.ts'

const HEADING = '# By waggle join; the names are those of the options of waggle start.\n'
/** Long values stay on one line. */
const UNFOLDED = { lineWidth: 0 }

type Settings = Readonly<Record<string, unknown>>

/**
 * Adds settings to a peer's settings file, which is made if it does not exist. They follow the file's own text, which stays as it is; only one that
 * nothing can follow, such as `{ role: solver }`, is printed again.
 *
 * @param path - of a file that `readSettings` has accepted, or of none.
 * @throws {UsageError} if the file says otherwise, or cannot be written; then with the lines to add.
 */
export function keepSettings(path: string, settings: Settings): void {
  if (!isNamed(path)) writeFileAtomicSync(path, HEADING + stringify(settings, UNFOLDED), 0o600)
  else addSettings(path, settings)
}

function addSettings(path: string, settings: Settings): void {
  const text = readSmallFile(path, MAX_SETTINGS_BYTES).toString()
  const document = parseDocument(text)
  const said: Settings = document.toJS() ?? {}
  const other = Object.entries(settings).find(([name, value]) => name in said && isOther(name, said[name], value))
  if (other !== undefined)
    throw new UsageError(`${path} has another '${other[0]}' than join would save.`, {
      hint: 'Leave the option out, or change the file: what it says stays.',
    })
  const missing = Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in said)))
  if (Object.keys(missing).length === 0) return
  const lines = (/[^\n]$/.test(text) ? '\n' : '') + stringify(missing, UNFOLDED)
  try {
    // In place: the file may be a link, mounted alone, or another user's.
    if (says(text + lines, { ...said, ...missing })) writeFileSync(path, lines, { flag: 'a', flush: true })
    else writeFileAtomicSync(realpathSync(path), withSettings(document, missing), statSync(path).mode & 0o777)
  } catch (cause) {
    const byHand = Object.entries(missing).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    throw new UsageError(`${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`, {
      hint: `Add to it, one a line: ${redactUrls(byHand.join('; '), [])}`,
      cause,
    })
  }
}

/** Options are texts and lists of them. A path may be relative in the file. */
const isOther = (name: string, said: unknown, value: unknown) => String(fromAnywhere(name, said)) !== String(value)

function says(text: string, settings: Settings): boolean {
  const document = parseDocument(text)
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), settings)
}

function withSettings(document: Document, settings: Settings): string {
  // A file may say null.
  if (!isMap(document.contents)) document.contents = document.createNode({})
  for (const [name, value] of Object.entries(settings)) document.set(name, value)
  return document.toString(UNFOLDED)
}
