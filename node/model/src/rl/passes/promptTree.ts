import type { ScoredSequence } from '#model/decoder/batch.ts'
import { LEAST_TOKENS } from './gradientPass.ts'
import { promptGroups, sharedPromptLength, startInCommon } from './sharedPrompt.ts'

/** The rows of a part whose sequences share tokens: the common beginning, then each prompt's further tokens, then each sequence's own. */
export interface PromptTree {
  /** Indices of the sequences after each prompt. */
  readonly groups: readonly (readonly number[])[]
  /** Tokens of each prompt that its sequences share, including the common beginning. */
  readonly prompts: readonly number[]
  /** Tokens of the common beginning. */
  readonly beginning: number
  /** Rows of each prompt after those. */
  readonly prompt: number
  /** Sequences after each prompt, with empty ones where a group has fewer, or the part would have too few rows. */
  readonly sequences: number
  /** Rows of each sequence after its prompt. */
  readonly own: number
  readonly rows: number
}

/** How a part's sequences share rows; null if they share none. If no two sequences have the same prompt, they share only the common beginning. */
export function promptTree(part: readonly ScoredSequence[]): PromptTree | null {
  const byPrompt = promptGroups(part)
  return (byPrompt.every(group => group.length > 1) && treeOf(part, byPrompt)) || treeOf(part, [[...part.keys()]])
}

function treeOf(part: readonly ScoredSequence[], groups: number[][]): PromptTree | null {
  const of = (group: readonly number[]) => group.map(i => part[i] as ScoredSequence)
  const prompts = groups.map(group => sharedPromptLength(of(group)))
  const firsts = groups.map(([first = 0]) => part[first] as ScoredSequence)
  // A prompt has at least one row of its own.
  const beginning = startInCommon(firsts, Math.min(...prompts) - 1)
  if (beginning < 1) return null
  const count = groups.length
  const prompt = Math.max(...prompts) - beginning
  const own = Math.max(
    ...groups.flatMap((group, g) => of(group).map(({ tokens }) => tokens.length - 1 - (prompts[g] as number))),
  )
  const before = beginning + count * prompt
  const filled = Math.ceil((LEAST_TOKENS - before) / (count * own))
  const sequences = Math.max(filled, ...groups.map(group => group.length))
  return { groups, prompts, beginning, prompt, sequences, own, rows: before + count * sequences * own }
}
