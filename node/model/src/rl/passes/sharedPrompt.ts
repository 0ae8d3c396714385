import { lengthBatches, type ScoredSequence } from '#model/decoder/batch.ts'

/** A shared prompt of fewer tokens is computed with each sequence: it saves less than its own small products cost. */
const LEAST_PROMPT = 16

/**
 * Tokens that are computed once for all sequences: those that all begin with, less the one that the first scored token is read
 * off. 0 where there is one sequence, or next to nothing to share.
 */
export function sharedPromptLength(sequences: readonly ScoredSequence[]): number {
  const [first, ...others] = sequences
  if (!first || others.length === 0) return 0
  let length = Math.min(...sequences.map(({ scored }) => (scored[0] ?? 1) - 1))
  for (const { tokens } of others) {
    let same = 0
    while (same < length && tokens[same] === first.tokens[same]) same++
    length = same
  }
  return length < LEAST_PROMPT ? 0 : length
}

/**
 * Splits a batch into parts of at most `sequences`: those of one prompt together, the others by length.
 *
 * @returns parts of indices into `batch`, every index once.
 */
export function promptParts(batch: readonly ScoredSequence[], sequences: number): number[][] {
  const groups = promptGroups(batch)
  const alone = groups.filter(group => group.length === 1).flat()
  const lengthOf = (i: number) => (batch[i] as ScoredSequence).tokens.length
  const longest = Math.max(...alone.map(lengthOf))
  return [
    ...groups.filter(group => group.length > 1).flatMap(group => chunks(group, sequences)),
    ...lengthBatches(alone.map(lengthOf), sequences * longest).map(part => part.map(i => alone[i] as number)),
  ]
}

/** Indices of the sequences of each prompt; one that shares none is alone. */
export function promptGroups(batch: readonly ScoredSequence[]): number[][] {
  const groups = new Map<string, number[]>()
  for (const [i, { tokens, scored }] of batch.entries()) {
    const prompt = tokens.subarray(0, (scored[0] ?? 1) - 1)
    const key = prompt.length < LEAST_PROMPT ? `${i} alone` : prompt.join()
    const group = groups.get(key)
    if (group) group.push(i)
    else groups.set(key, [i])
  }
  return [...groups.values()]
}

/** Runs of at most `size`, as equal as can be: a last one of a single sequence would share its prompt with none. */
function chunks(indices: readonly number[], size: number): number[][] {
  const count = Math.ceil(indices.length / size)
  return Array.from({ length: count }, (_, i) =>
    indices.slice(Math.floor((i * indices.length) / count), Math.floor(((i + 1) * indices.length) / count)),
  )
}
