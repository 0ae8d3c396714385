import { expect, test } from 'vitest'
import { prefill } from './prefill.ts'
import type { RowCache } from './rowCache.ts'

/** A cache that logs when it is disposed of. */
function cacheOf(log: string[], adopt: RowCache['adopt'] = async () => {}): RowCache {
  const nothing = { append: () => {}, feeds: async () => ({}), keep: async () => {}, places: () => ({}) }
  return { ...nothing, adopt, open: async () => {}, reserve: () => {}, dispose: () => log.push('disposed') }
}

/** Reads a prompt of three parts. */
function read(
  log: string[],
  { adopt, run, signal }: Partial<Record<'adopt' | 'run', () => Promise<never>>> & { signal?: AbortSignal },
) {
  const ran = async () => {
    log.push('run')
    return run ? run() : { given: {}, draws: [{ token: 1, logprob: 0 }] }
  }
  const row = { prompt: 0, sample: 0, tokens: [], logprobs: [], cached: 40, next: 0 }
  return prefill([{ prompt: new Int32Array(40), rows: [row] }], 0, {
    reads: { part: 16, together: false },
    runs: { run: ran },
    cache: cacheOf([], adopt),
    openCache: () => cacheOf(log),
    signal,
    take: () => {},
  })
}

const fail = async () => {
  throw new Error('failed')
}

test("a prompt's own cache is given back once its rows have it", async () => {
  const log: string[] = []
  await read(log, {})
  expect(log).toEqual(['run', 'run', 'run', 'disposed'])
})

test("a prompt's own cache is given back if a run, a copy or an abort ends its reading", async () => {
  const [ran, copied, aborted]: string[][] = [[], [], []]
  await expect(read(ran as string[], { run: fail })).rejects.toThrow('failed')
  await expect(read(copied as string[], { adopt: fail })).rejects.toThrow('failed')
  await expect(read(aborted as string[], { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  expect([ran, copied, aborted]).toEqual([['run', 'disposed'], ['run', 'run', 'run', 'disposed'], ['disposed']])
})
