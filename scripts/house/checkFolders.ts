import { dirname } from 'node:path'
import type { Texts } from './readTexts.ts'

/** Files of a folder that a reader takes in at a glance. Tests are next to what they test and do not count. */
const MAX_FILES = 25

/** Folders whose names are one list: a file for each command, and one for each interface. */
const LISTS = ['node/src/cli/commands', 'contracts/src/interfaces']

const TEST = /\.test\.tsx?$|\.t\.sol$/

/** A folder with more files needs folders by subject. */
export function checkFolders(sources: Texts): string[] {
  const files = [...sources.keys()].filter(path => !TEST.test(path))
  return [...Map.groupBy(files, path => dirname(path))]
    .filter(([folder, { length }]) => length > MAX_FILES && !LISTS.includes(folder))
    .map(([folder, { length }]) => `${folder}: ${length} files, at most ${MAX_FILES}: divide them by subject`)
}
