import { checkSources, type PhrasesToAvoid } from './checkPhrases.ts'
import type { Texts } from './readTexts.ts'

/** Source files, as `readTexts` takes them. */
export const SOURCES = ['*.ts', '*.tsx', '*.mjs', '*.py', '*.sh', '*.sol']

/** Folders whose sources hold no phrase to avoid. The list only grows. */
const CLEAN_FOLDERS = [
  'contracts',
  'dashboard',
  'deployments',
  'indexer',
  'node/src/chain',
  'node/src/cli',
  'node/src/core',
  'node/src/engine',
  'node/src/environments',
  'node/src/hub',
  'node/src/library',
  'node/src/market',
  'node/src/model',
  'node/src/p2p',
  'node/src/rl',
  'node/src/sandbox',
  'node/src/store',
  'node/test',
  'scripts',
]

/** Findings in the clean folders; and, for each other folder with sources, the number of findings there. */
export function checkFolders(
  phrases: PhrasesToAvoid,
  sources: Texts,
  clean: readonly string[] = CLEAN_FOLDERS,
): { findings: string[]; left: ReadonlyMap<string, number> } {
  const folders = new Set([...sources.keys()].map(path => folderOf(path, clean)))
  const findings = clean
    .filter(folder => !folders.has(folder))
    .map(folder => `${folder}: listed as clean, has no sources`)
  const left = new Map([...folders].filter(folder => !clean.includes(folder)).map(folder => [folder, 0]))
  for (const finding of checkSources(phrases, sources)) {
    const count = left.get(folderOf(finding, clean))
    if (count === undefined) findings.push(finding)
    else left.set(folderOf(finding, clean), count + 1)
  }
  return { findings, left }
}

/** The clean folder that a file is in; otherwise the first two folders of its path, three in `node/src`. */
function folderOf(path: string, clean: readonly string[]): string {
  const depth = path.startsWith('node/src/') ? 3 : 2
  const inClean = clean.find(folder => path.startsWith(`${folder}/`))
  return inClean ?? (path.split('/').slice(0, -1).slice(0, depth).join('/') || '.')
}
