import { chmodSync, realpathSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, parseDocument, stringify } from 'yaml'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import { redactUrls, urlSecrets } from '#core/redactUrls.ts'
import { MAX_SETTINGS_BYTES } from '#store/folderFormat.ts'
import type { Settings as Schemas } from '../options/settingOptions.ts'
import { peerSettings } from '../options/settings.ts'
import { UsageError } from '../usageError.ts'
import { fromAnywhere } from './fromAnywhere.ts'

const HEADING = '# By waggle join; the names are those of the options of waggle start.\n'
/** Long values stay on one line. */
const UNFOLDED = { lineWidth: 0 }

type Settings = Readonly<Record<string, unknown>>

/** The settings file is read-only, of another user, or on a full disk. The hint has the lines to add. */
export class UnwritableError extends UsageError {}

/**
 * Adds settings to a peer's settings file, which is made if it does not exist. They follow the file's own text, which stays as it is; only one that
 * nothing can follow, such as `{ role: solver }`, is printed again. With a key or password added, others can no longer read it.
 *
 * @param path - of a file that `readSettings` has accepted, or of none.
 * @throws {UsageError} if the file says otherwise.
 * @throws {UnwritableError} if the file cannot be written. Its text is as before.
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
    const hasSecret = Object.values(missing).some(value => urlSecrets(String(value)).length > 0)
    if (hasSecret) chmodSync(path, statSync(path).mode & 0o600)
    // In place: the file may be a link, mounted alone, or another user's.
    if (says(text + lines, { ...said, ...missing })) append(path, lines)
    else writeFileAtomicSync(realpathSync(path), withSettings(document, missing), statSync(path).mode & 0o777)
  } catch (cause) {
    throw new UnwritableError(`${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`, {
      hint: `Add to it, one a line: ${Object.entries(missing).map(byHand).join('; ')}`,
      cause,
    })
  }
}

/** A file's 1 is the `1.0` of an option. A path may be relative in the file. */
const isOther = (name: string, said: unknown, value: unknown) =>
  !isDeepStrictEqual(meaning(name, fromAnywhere(name, said)), meaning(name, value))

const meaning = (name: string, value: unknown) => (peerSettings as Schemas)[name]?.safeParse(value).data

function append(path: string, lines: string): void {
  const { size } = statSync(path)
  try {
    writeFileSync(path, lines, { flag: 'a', flush: true })
  } catch (error) {
    // A disk may have had space for a part.
    if (statSync(path).size > size) truncateSync(path, size)
    throw error
  }
}

/** A line to add. A URL that may have a key is not shown, and not shortened either: it would be another one. */
function byHand([name, value]: [string, unknown]): string {
  const line = `${name}: ${JSON.stringify(value)}`
  return redactUrls(line, []) === line ? line : `${name}: (as in --${name})`
}

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
