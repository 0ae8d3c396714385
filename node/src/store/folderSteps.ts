import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'
import { SETTINGS_FILE } from './folderNames.ts'

/** From one format of a peer's folder to the next. */
export type FolderStep = {
  /** Plain files in the folder itself that the step makes, changes or removes: all others stay as they are. */
  files: readonly string[]
  /** Does it, and says in a line each what it changed. It may be ended at any moment: then the files are put back, and it runs again. */
  apply: (folder: string) => string[]
}

/**
 * Every step, the first from folders without a number, which releases up to 0.3 left. The journal's tables have a number and transactions of
 * their own (`openDatabase`): a step is for what is outside of it.
 */
export const folderSteps: readonly FolderStep[] = [
  { files: [SETTINGS_FILE], apply: folder => renameSetting(join(folder, SETTINGS_FILE), 'log', 'log-format') },
]

/** Comments and order stay. A file that is not YAML is left to who reads it next, and says so. */
function renameSetting(path: string, from: string, to: string): string[] {
  if (!existsSync(path)) return []
  const document = parseDocument(readFileSync(path, 'utf8'))
  const { contents } = document
  if (document.errors.length > 0 || !isMap(contents) || !contents.has(from)) return []
  if (contents.has(to)) contents.delete(from)
  else for (const { key } of contents.items) if (isScalar(key) && key.value === from) key.value = to
  writeFileSync(path, document.toString(), { flush: true })
  return [`the setting '${from}' of ${SETTINGS_FILE} is '${to}' now`]
}
