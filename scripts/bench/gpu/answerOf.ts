import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

/** Milliseconds in which the output of a process that has ended, or was killed, has to end too. */
const LAST_OUTPUT_MS = 1000

/** Most characters of its output that are kept. */
const MOST_PRINTED = 2 ** 26

/**
 * The last line that a process prints, as JSON. After the limit it is killed with all that it started. A line that it has printed counts, however it
 * ends: a comparison prints a first answer before it tries for a better one.
 *
 * @throws {Error} with one line that says why there is no answer.
 */
export async function answerOf<T>(command: string, argv: readonly string[], limitSec: number): Promise<T> {
  if (limitSec < 1) throw new Error('no time was left for it')
  const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = collect(child)
  const end = await endOf(child, 1000 * limitSec)
  // A process that it left behind may hold these open.
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
  const answer = parsed<T>(printed.stdout)
  if (answer !== undefined) return answer
  if (end === 'missing') throw new Error(`${command} is not installed`)
  if (end === 'late') throw new Error(`it did not answer in ${Math.round(limitSec)} s`)
  throw new Error(reasonIn(printed.stderr, end))
}

function collect({ stdout, stderr }: ChildProcess): { stdout: string; stderr: string } {
  const printed = { stdout: '', stderr: '' }
  for (const [name, stream] of Object.entries({ stdout, stderr }) as [keyof typeof printed, typeof stdout][])
    stream?.setEncoding('utf8').on('data', part => {
      printed[name] = (printed[name] + part).slice(-MOST_PRINTED)
    })
  return printed
}

/** Exit status, `missing` if there is no such program, or `late`. */
function endOf(child: ChildProcess, limitMs: number): Promise<number | string | null> {
  return new Promise(resolve => {
    const timer = setTimeout(async () => {
      await killTree(child)
      setTimeout(resolve, LAST_OUTPUT_MS, 'late')
    }, limitMs)
    const ended = (end: number | string | null) => {
      clearTimeout(timer)
      resolve(end)
    }
    child.on('error', error => ended((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : error.message))
    child.on('close', (code, signal) => ended(child.killed ? 'late' : (code ?? signal)))
    child.on('exit', (code, signal) => setTimeout(ended, LAST_OUTPUT_MS, child.killed ? 'late' : (code ?? signal)))
  })
}

/** Kills a process and its descendants: compilers that torch starts would keep the GPU. */
async function killTree(child: ChildProcess): Promise<void> {
  const descendants = child.pid === undefined ? [] : await descendantsOf(child.pid)
  child.kill('SIGKILL')
  for (const pid of descendants)
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}

/** Empty where the system does not list them (Linux does). */
async function descendantsOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map(thread => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}

function parsed<T>(stdout: string): T | undefined {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } catch {
    return undefined
  }
}

function reasonIn(stderr: string, end: number | string | null): string {
  const lines = stderr.trim().split('\n')
  const line = lines.findLast(text => /Error/.test(text)) || lines.at(-1)
  return (line || `it ended with ${end} and printed no answer`).slice(0, 300)
}
