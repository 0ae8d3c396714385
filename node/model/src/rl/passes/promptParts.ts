import { lengthBatches, type ScoredSequence } from '#model/decoder/batch.ts'
import { promptTree } from './promptTree.ts'
import { promptGroups } from './sharedPrompt.ts'

/** Limits of a part. */
export interface PartLimits {
  /** Sequences of one prompt, or of prompts that differ. */
  readonly sequences: number
  /** Rows, if it has sequences of several prompts. */
  readonly rows: number
}

/**
 * Splits a batch into parts: sequences of one prompt together, several prompts together if that takes fewer rows than separate parts, and the
 * other sequences by length.
 *
 * @returns parts of indices into `batch`, every index once.
 */
export function promptParts(batch: readonly ScoredSequence[], { sequences, rows }: PartLimits): number[][] {
  const groups = promptGroups(batch)
  const alone = groups.filter(group => group.length === 1).flat()
  const lengthOf = (i: number) => (batch[i] as ScoredSequence).tokens.length
  const longest = Math.max(...alone.map(lengthOf))
  const shared = groups.filter(group => group.length > 1).flatMap(group => chunks(group, sequences))
  return [
    ...packed(batch, shared, rows),
    ...lengthBatches(alone.map(lengthOf), sequences * longest).map(part => part.map(i => alone[i] as number)),
  ]
}

/** Joins parts of one prompt each, those of like lengths. */
function packed(batch: readonly ScoredSequence[], parts: readonly number[][], mostRows: number): number[][] {
  const sequencesOf = (part: readonly number[]) => part.map(i => batch[i] as ScoredSequence)
  const ownOf = (part: readonly number[]) =>
    Math.max(...sequencesOf(part).map(({ tokens, scored }) => tokens.length - (scored[0] ?? 0)))
  const rowsOf = (part: readonly number[]) => promptTree(sequencesOf(part))?.rows ?? Number.POSITIVE_INFINITY
  const joined: { part: number[]; rows: number }[] = []
  for (const part of parts.toSorted((a, b) => ownOf(a) - ownOf(b))) {
    const last = joined.at(-1)
    const both = [...(last?.part ?? []), ...part]
    const [apart, together] = [rowsOf(part), rowsOf(both)]
    if (last && together <= Math.min(mostRows, last.rows + apart))
      joined[joined.length - 1] = { part: both, rows: together }
    else joined.push({ part, rows: apart })
  }
  return joined.map(({ part }) => part)
}

/** Runs of at most `size`, as equal as can be: a last one of a single sequence would share its prompt with none. */
function chunks(indices: readonly number[], size: number): number[][] {
  const count = Math.ceil(indices.length / size)
  return Array.from({ length: count }, (_, i) =>
    indices.slice(Math.floor((i * indices.length) / count), Math.floor(((i + 1) * indices.length) / count)),
  )
}
