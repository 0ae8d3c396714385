import { z } from 'zod'
import type { SampledTokens } from '#environments/environment.ts'
import type { JsonValue } from '#store/journal.ts'
import { NO_SPACE } from './taskList.ts'

/** Most candidates of one prompt that are learned from: the first that were sampled. */
const MAX_OF_PROMPT = 32

/** A proposal that a model here sampled, and its outcome. */
export type Candidate = {
  readonly sampled: SampledTokens
  /** Its place among the tasks of the round; null if it was refused. */
  readonly place: number | null
}

/** Candidates of one prompt. */
export type CandidateGroup = { readonly prompt: Int32Array; readonly candidates: readonly Candidate[] }

/**
 * Records what to learn from a proposal: nothing if no model here sampled it, or there was no space for it.
 *
 * @param refused - reason why it was not taken; null if it was taken, at `place`.
 */
export function candidateOf(sampled: SampledTokens | undefined, refused: string | null, place: number): Candidate[] {
  if (sampled === undefined || refused === NO_SPACE) return []
  return [{ sampled, place: refused === null ? place : null }]
}

/** Candidates by the prompt that they answer, in the order in which they were sampled. */
export function groupsOf(candidates: readonly Candidate[]): CandidateGroup[] {
  const groups = Map.groupBy(candidates, ({ sampled }) => sampled.prompt.join())
  return [...groups.values()].map(all => ({
    prompt: (all[0] as Candidate).sampled.prompt,
    candidates: all.slice(0, MAX_OF_PROMPT),
  }))
}

const words = z.base64().transform((text, { addIssue }) => {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
  if (bytes.byteLength % 4 !== 0) addIssue('not of 4 bytes each')
  return bytes.buffer.slice(0, bytes.byteLength - (bytes.byteLength % 4))
})
const ids = words.transform(buffer => new Int32Array(buffer))
const keptSchema = z.array(
  z.object({
    prompt: ids,
    candidates: z.array(
      z
        .object({
          tokens: ids,
          logprobs: words.transform(buffer => new Float32Array(buffer)),
          temperature: z.number().positive(),
          place: z.int().min(0).nullable(),
        })
        .refine(({ tokens, logprobs }) => tokens.length === logprobs.length, 'expected a log-probability a token'),
    ),
  }),
)

/** Groups as a journal keeps them: some 200 kB a round of a published model. */
export function encodeGroups(groups: readonly CandidateGroup[]): JsonValue {
  return groups.map(({ prompt, candidates }) => ({
    prompt: base64(prompt),
    candidates: candidates.map(({ sampled: { tokens, logprobs, temperature }, place }) => ({
      ...{ tokens: base64(tokens), logprobs: base64(logprobs), temperature, place },
    })),
  }))
}

/** Stored groups; empty if there are none, or they cannot be read. */
export function decodeGroups(kept: JsonValue | undefined): CandidateGroup[] {
  const { success, data } = keptSchema.safeParse(kept)
  if (!success) return []
  return data.map(({ prompt, candidates }) => ({
    prompt,
    candidates: candidates.map(({ place, ...sampled }) => ({ place, sampled: { prompt, ...sampled } })),
  }))
}

const base64 = ({ buffer, byteOffset, byteLength }: Int32Array | Float32Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
