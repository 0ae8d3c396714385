import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { RowResult } from '../../measure/row.ts'

/** All that a kit takes from the machine on which it runs. Python is for the comparison with torch. */
const commands = 'bash cat cp dirname grep mkdir mktemp mv rm sed sha256sum tar tr'.split(' ')

/** A run of a kit where there is no repository, no Node, no Python and no setting. */
export interface BareMachine {
  /** Folder in which it runs, empty at first. */
  readonly folder: string
  /** Starts a kit's `run`. `before` is put before its command. */
  start(kit: string, options?: { argv?: string[]; env?: Record<string, string>; before?: string[] }): KitRun
  /** The rows of `gpu.json`. */
  rows(path?: string): Promise<RowResult[]>
}

interface KitRun {
  readonly process: ChildProcess
  /** Status and what it said, once it has ended. */
  readonly ended: Promise<{ status: number | null; said: string }>
  /** Resolves once it has said this. */
  says(text: string): Promise<void>
}

export async function bareMachine(root: string): Promise<BareMachine> {
  const [folder, bin, temporary] = ['folder', 'bin', 'temporary'].map(name => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [folder, bin, temporary]) await mkdir(path, { recursive: true })
  for (const command of commands) await symlink(pathOf(command), join(bin, command))
  return {
    folder,
    start(kit, { argv = [], env = {}, before = [] } = {}) {
      const [command = '', ...rest] = [...before, join(kit, 'run'), ...argv]
      const child = spawn(command, rest, { cwd: folder, env: { PATH: bin, TMPDIR: temporary, ...env } })
      let said = ''
      child.stderr.on('data', part => {
        said += part
      })
      child.stdout.resume()
      return {
        process: child,
        ended: new Promise(resolve => child.on('close', status => resolve({ status, said }))),
        says: text =>
          new Promise(resolve => child.stderr.on('data', () => (said.includes(text) ? resolve() : undefined))),
      }
    },
    async rows(path = join(folder, 'gpu.json')) {
      return JSON.parse(await readFile(path, 'utf8')).rows
    },
  }
}

/** @throws {Error} if a command is not on this machine. */
function pathOf(command: string): string {
  const path = ['/usr/bin', '/bin', '/usr/local/bin'].map(at => join(at, command)).find(at => existsSync(at))
  if (path === undefined) throw new Error(`this machine has no ${command}`)
  return path
}
