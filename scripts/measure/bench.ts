import { appendFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** Shared by the rows of one run: a folder that is kept between runs, and work that is done once. */
export interface Bench {
  /** Ignored by git: weights, peers. May be set up by hand beforehand; what is there is not made again. */
  readonly folder: string
  readonly threads: number
  /** Whether a run only tries itself, on a tiny shape. */
  readonly isTiny: boolean
  /** Seconds since the run began, with those that went by before this process. */
  elapsedSec(): number
  /** Progress, for people: to stderr. */
  log(line: string): void
  /** Appends an answer to the run's file of answers, if it has one: an interrupted run has those that came. */
  keepAnswer(answer: object): Promise<void>
  /** The result of `make`, made at the first asking under this key. */
  once<T>(key: string, make: () => Promise<T>): Promise<T>
}

/** @param answers - path of the file of answers, one line of JSON each. */
export function openBench(root: string, isTiny = false, elapsedBeforeSec = 0, answers: string | null = null): Bench {
  const startedAt = performance.now()
  const made = new Map<string, Promise<unknown>>()
  return {
    folder: join(root, 'node_modules/.cache/waggle-bench'),
    threads: Math.min(2, availableParallelism()),
    isTiny,
    elapsedSec: () => elapsedBeforeSec + (performance.now() - startedAt) / 1000,
    log: line => process.stderr.write(`${line}\n`),
    async keepAnswer(answer) {
      if (answers !== null)
        await appendFile(answers, `${JSON.stringify(answer)}\n`).catch(error => this.log(error.message))
    },
    once<T>(key: string, make: () => Promise<T>) {
      const known = made.get(key) as Promise<T> | undefined
      if (known) return known
      const result = make()
      made.set(key, result)
      return result
    },
  }
}
