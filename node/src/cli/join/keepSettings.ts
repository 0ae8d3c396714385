import { parseDocument } from 'yaml'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import { MAX_SETTINGS_BYTES } from '#store/folderFormat.ts'

const HEADING = '# By waggle join; the names are those of the options of waggle start.\n'

/**
 * Adds settings to a peer's settings file, which is made if it does not exist. What the file says, and its comments, stay.
 *
 * @param path - of a file that `readSettings` has accepted, or of none.
 */
export function keepSettings(path: string, settings: Readonly<Record<string, unknown>>): void {
  const text = isNamed(path) ? readSmallFile(path, MAX_SETTINGS_BYTES).toString() : HEADING
  const document = parseDocument(text)
  for (const [name, value] of Object.entries(settings)) if (!document.has(name)) document.set(name, value)
  writeFileAtomicSync(path, document.toString(), 0o600)
}
