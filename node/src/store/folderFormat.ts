import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'
import { NodeError } from '#base/errors.ts'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { syncFolderSync, writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import { PEER_KEY_FILE, SETTINGS_FILE, SWARM_PEM_FILE } from './folderNames.ts'
import { lockDataFolder } from './lockDataFolder.ts'

/** Holds the number of a folder's format. */
const FORMAT_FILE = 'format'
/** Files as they were before a step, to undo an unfinished one. */
const ASIDE = 'before-migration'
/** Limit for files that a step changes, which people write. */
export const MAX_SETTINGS_BYTES = 2 ** 20

/** A folder without any of them is not a peer's, and is left unchanged. */
const MARKS = [FORMAT_FILE, PEER_KEY_FILE, SWARM_PEM_FILE, SETTINGS_FILE]

/** A newer release wrote the folder. */
export class FolderTooNewError extends NodeError {
  override readonly code = 'FOLDER_TOO_NEW'
}

/** The folder's format number is invalid. */
export class FolderFormatError extends NodeError {
  override readonly code = 'FOLDER_FORMAT'
}

/** Marks a new folder with the format of this release. */
export function stampFolder(folder: string): void {
  if (!existsSync(join(folder, FORMAT_FILE)))
    writeFileAtomicSync(join(folder, FORMAT_FILE), `${folderSteps.length}\n`, 0o600)
}

/** The number of a folder's format; null where no peer is. */
export function formatOf(folder: string): number | null {
  return MARKS.some(name => existsSync(join(folder, name))) ? readFormat(folder, folderSteps) : null
}

/**
 * Migrates a peer's folder to the format of this release, step by step. A folder of this release is read once and not changed.
 *
 * Each step is atomic: files that it changes are copied first, and writing the new number ends it. A start after a crash undoes an
 * unfinished step, and repeats it.
 *
 * @param said - called with a description of each step.
 * @throws {FolderTooNewError} before anything is changed.
 * @throws {DataFolderLockedError} if an older folder's peer still runs.
 */
export function migrateFolder(
  folder: string,
  said: (line: string) => void,
  steps: readonly FolderStep[] = folderSteps,
): void {
  if (!MARKS.some(name => existsSync(join(folder, name)))) return
  const aside = join(folder, ASIDE)
  if (readFormat(folder, steps) === steps.length && !existsSync(aside)) return
  const lock = lockDataFolder(folder)
  try {
    // Another process may have migrated it before the lock was granted.
    undoUnfinished(folder, aside, steps)
    for (let format = readFormat(folder, steps); format < steps.length; format++)
      takeStep(folder, aside, { step: steps[format] as FolderStep, to: format + 1, said })
  } finally {
    lock.release()
  }
}

/** 0 for a folder of a release without format numbers. */
function readFormat(folder: string, steps: readonly FolderStep[]): number {
  const path = join(folder, FORMAT_FILE)
  if (!isNamed(path)) return 0
  const text = readSmallFile(path, MAX_SETTINGS_BYTES).toString().trim()
  if (!/^\d{1,6}$/.test(text))
    throw new FolderFormatError(`${path} does not hold a number.`, { hint: 'Restore it from a backup of the folder.' })
  if (Number(text) <= steps.length) return Number(text)
  throw new FolderTooNewError(
    `A newer release wrote the folder ${folder} (format ${text}, this one has ${steps.length}).`,
    {
      hint: 'Update this installation (git pull && npm install), or restore a backup from before the update into another folder.',
    },
  )
}

type Taken = { step: FolderStep; to: number; said: (line: string) => void }

function takeStep(folder: string, aside: string, { step, to, said }: Taken): void {
  const partial = `${aside}.partial`
  const names = step.files.filter(name => isNamed(join(folder, name)))
  const kept = names.map(name => [name, readSmallFile(join(folder, name), MAX_SETTINGS_BYTES)] as const)
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  for (const [name, content] of kept) writeFileAtomicSync(join(partial, name), content, 0o600)
  writeFileSync(join(partial, FORMAT_FILE), `${to - 1}\n`, { flush: true })
  renameSync(partial, aside)
  syncFolderSync(folder)
  for (const line of step.apply(folder)) said(`${folder}: ${line}`)
  writeFileAtomicSync(join(folder, FORMAT_FILE), `${to}\n`, 0o600)
  discard(aside)
}

/** Undoes the changes of an unfinished step. */
function undoUnfinished(folder: string, aside: string, steps: readonly FolderStep[]): void {
  if (!existsSync(aside)) return
  // A file that is missing from it is deleted below, so it must be complete.
  if (!existsSync(join(aside, FORMAT_FILE)))
    throw new FolderFormatError(`${aside} holds no files of an update.`, { hint: 'Move it away.' })
  const from = readFormat(aside, steps)
  // The number ends a step: leftovers of a finished one are only removed.
  if (readFormat(folder, steps) === from)
    for (const name of steps[from]?.files ?? []) {
      const before = join(aside, name)
      if (existsSync(before)) writeFileAtomicSync(join(folder, name), readSmallFile(before, MAX_SETTINGS_BYTES), 0o600)
      else rmSync(join(folder, name), { force: true })
    }
  discard(aside)
}

/** Renamed first: a file that is already deleted from it would count as one that did not exist before the step. */
function discard(aside: string): void {
  rmSync(`${aside}.partial`, { recursive: true, force: true })
  renameSync(aside, `${aside}.partial`)
  rmSync(`${aside}.partial`, { recursive: true, force: true })
}

/** A migration from one format of a peer's folder to the next. */
export type FolderStep = {
  /** Plain files in the folder itself that the step makes, changes or removes; all others stay unchanged. */
  files: readonly string[]
  /** Runs the step and returns one line for each change. If it is interrupted, the files are restored, and it runs again. */
  apply: (folder: string) => string[]
}

/**
 * Every step, the first for folders without a number, of releases up to 0.3. The journal's tables have their own number and transactions
 * (`openDatabase`); a step is for everything outside of the journal.
 */
const folderSteps: readonly FolderStep[] = [
  { files: [SETTINGS_FILE], apply: folder => renameSetting(join(folder, SETTINGS_FILE), 'log', 'log-format') },
]

/** Keeps comments and order. A file that is not YAML is left unchanged: its next reader reports it. */
function renameSetting(path: string, from: string, to: string): string[] {
  if (!existsSync(path)) return []
  const document = parseDocument(readSmallFile(path, MAX_SETTINGS_BYTES).toString())
  const { contents } = document
  if (document.errors.length > 0 || !isMap(contents) || !contents.has(from)) return []
  if (contents.has(to)) contents.delete(from)
  else for (const { key } of contents.items) if (isScalar(key) && key.value === from) key.value = to
  writeFileSync(path, document.toString(), { flush: true })
  return [`the setting '${from}' of ${SETTINGS_FILE} is '${to}' now`]
}
