import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Text of each file, by its path from the root. */
export type Texts = ReadonlyMap<string, string>

/** The files of these kinds that git does not ignore. */
export async function readTexts(root: string, pathspecs: readonly string[]): Promise<Texts> {
  const argv = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', ...pathspecs]
  const { stdout } = await promisify(execFile)('git', argv, { cwd: root })
  const paths = stdout.split('\0').filter(path => path !== '')
  const read = async (path: string) => [path, await readFile(join(root, path), 'utf8').catch(() => null)] as const
  const found = await Promise.all(paths.map(read))
  // Deleted files are listed until the deletion is committed.
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** The text with code blocks and code spans blanked out, every character and line still in its place. */
export function withoutCode(text: string): string {
  return text
    .replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2`*[ ]*$/gm, blank)
    .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, blank)
}

export const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** The line of an offset, from 1. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
