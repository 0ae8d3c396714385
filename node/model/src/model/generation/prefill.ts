import type { GenerationRow } from './generationRow.ts'
import type { Drawing, GenerationRuns } from './generationRuns.ts'
import type { RowCache } from './rowCache.ts'
import type { Draw } from './samplingFilters.ts'

/** Tokens of prompts, padding included, that are prefilled in one run. */
const PREFILL_TOKENS = 4096

/** Prompts are padded to a multiple of this: a product with one row is computed differently, which would change the last bit. */
const PREFILL_STEP = 16

/** Longer prompts are prefilled in parts of this many tokens: attention's memory grows with their square. */
export const PREFILL_PART = 256

/** Rows that share a prompt. */
interface PromptGroup {
  readonly prompt: Int32Array
  readonly rows: readonly GenerationRow[]
}

/** How a device reads prompts. */
export interface PromptRuns {
  /** Maximum of a prompt's tokens in one run. */
  readonly part: number
  /** Whether a run may read several. */
  readonly together: boolean
}

interface PrefillModules {
  readonly reads: PromptRuns
  readonly runs: Pick<GenerationRuns, 'run'>
  /** Cache of the rows, with space for their prompts. */
  readonly cache: RowCache
  /** Makes a cache of some rows for runs of `length` tokens. */
  readonly openCache: (rows: number, length: number) => RowCache
  readonly signal: AbortSignal | undefined
  /** Told a row's first token. */
  readonly take: (row: GenerationRow, draw: Draw) => void
}

/** Tokens in each run of a prefill whose longest prompt has `count` tokens. */
export function partLength(count: number, { part }: PromptRuns): number {
  return Math.min(part, Math.ceil(count / PREFILL_STEP) * PREFILL_STEP)
}

/**
 * Fills the caches of groups of rows and draws their first tokens, prompts of like lengths together.
 *
 * @param groups - by the length of their prompts.
 * @param first - index of their first row; the others follow it in the order of the groups.
 */
export async function prefill(groups: readonly PromptGroup[], first: number, modules: PrefillModules): Promise<void> {
  const { reads } = modules
  const waiting = [...groups]
  let at = first
  while (waiting.length > 0) {
    let fitting = 1
    const isFitting = ({ prompt }: PromptGroup) =>
      reads.together && partLength(prompt.length, reads) * (fitting + 1) <= PREFILL_TOKENS
    for (let next = waiting[fitting]; next && isFitting(next); next = waiting[fitting]) fitting++
    const together = waiting.splice(0, fitting)
    await prefillTogether(together, at, modules)
    at += together.reduce((sum, { rows }) => sum + rows.length, 0)
  }
}

/** Reads prompts in a cache of their own, and copies that to their rows. */
async function prefillTogether(groups: readonly PromptGroup[], at: number, modules: PrefillModules): Promise<void> {
  const { reads, cache, openCache } = modules
  const length = partLength(longestOf(groups), reads)
  const own = openCache(groups.length, length)
  const copies = groups.flatMap(({ rows }, g) => rows.map(() => g))
  const filled = groups.map(({ prompt }) => prompt.length)
  try {
    await fill(own, groups, length, modules)
    await cache.adopt(own, copies, at, filled)
  } finally {
    own.dispose()
  }
}

/** Part by part. Prompts are padded on the right. */
async function fill(
  own: RowCache,
  groups: readonly PromptGroup[],
  length: number,
  { runs, signal, take }: PrefillModules,
): Promise<void> {
  const longest = longestOf(groups)
  own.reserve(0)
  for (let start = 0; start < longest; start += length) {
    signal?.throwIfAborted()
    const drawings = lastTokens(groups, start, length)
    const first = new Array<number>(groups.length).fill(start)
    const filled = groups.map(({ prompt }) => Math.min(prompt.length, start))
    const ids = partOf(groups, start, length)
    const { given, draws } = await runs.run({ ids, length, first, cache: own, filled }, drawings)
    own.reserve(start + length)
    const counts = groups.map(({ prompt }, g) => Math.min(prompt.length - (filled[g] as number), length))
    own.append(given, filled, counts)
    for (const [i, { row }] of drawings.entries()) take(row, draws[i] as Draw)
  }
}

const longestOf = (groups: readonly PromptGroup[]) => Math.max(...groups.map(({ prompt }) => prompt.length))

/** [groups, length]: the prompts' tokens from `start` on, zeros behind their ends. */
function partOf(groups: readonly PromptGroup[], start: number, length: number): BigInt64Array<ArrayBuffer> {
  const ids = new BigInt64Array(groups.length * length)
  for (const [g, { prompt }] of groups.entries())
    for (let i = start; i < Math.min(prompt.length, start + length); i++)
      ids[g * length + i - start] = BigInt(prompt[i] as number)
  return ids
}

/** A drawing for each row whose prompt ends within the part. */
function lastTokens(groups: readonly PromptGroup[], start: number, length: number): Drawing[] {
  return groups.flatMap(({ prompt, rows }, g) =>
    prompt.length > start && prompt.length <= start + length
      ? rows.map(row => ({ row, at: g * length + prompt.length - start - 1 }))
      : [],
  )
}
