import type { ScoredSequence } from '#model/decoder/batch.ts'

/** A shared prompt of fewer tokens is computed with each sequence: it saves less than its own small products cost. */
const LEAST_PROMPT = 16

/**
 * Number of tokens that are computed once for all sequences: their common beginning, without the token that predicts the first scored one. 0 for a
 * single sequence, or if they share too little.
 */
export function sharedPromptLength(sequences: readonly ScoredSequence[]): number {
  if (sequences.length < 2) return 0
  const length = startInCommon(sequences, Math.min(...sequences.map(({ scored }) => (scored[0] ?? 1) - 1)))
  return length < LEAST_PROMPT ? 0 : length
}

/** Length of the common beginning, at most `most`. */
export function startInCommon([first, ...others]: readonly ScoredSequence[], most: number): number {
  let length = most
  for (const { tokens } of others) {
    let same = 0
    while (same < length && tokens[same] === first?.tokens[same]) same++
    length = same
  }
  return length
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
