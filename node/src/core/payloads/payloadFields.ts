import { z } from 'zod'
import { hash32, type PeerKey, type PolicyHash, type Seed } from '../hashes.ts'

/** Maximum of tokens of a prompt or of a completion. With log-probabilities a leaf's body stays below 64 KB. */
export const MAX_SEQUENCE_TOKENS = 4096

/** The format's version; a payload of another version is not ours to read. */
export const versionSchema = z.literal(1)
export const chainIdSchema = z.int().min(1)
/** 2^40 rounds of one second are 35,000 years. */
export const roundSchema = z
  .int()
  .min(0)
  .max(2 ** 40)
/** Difficulty, as in CodeZero. */
export const levelSchema = z.int().min(1).max(5)
export const indexSchema = z.int().min(0).max(4095)
/** Thousandths, 0 to 1. */
export const milliSchema = z.int().min(0).max(1000)

export const bundleHeader = {
  v: versionSchema,
  chainId: chainIdSchema,
  round: roundSchema,
  peerKey: hash32<PeerKey>(),
  policyHash: hash32<PolicyHash>(),
}

const bytesSchema = z.custom<Uint8Array>(value => value instanceof Uint8Array, 'expected bytes')

/** Token ids, little-endian, 2 or 4 bytes each. */
export const tokensSchema = bytesSchema
  .refine(bytes => bytes.byteLength >= 2 && bytes.byteLength % 2 === 0, 'expected whole tokens, at least one')
  .refine(bytes => bytes.byteLength <= MAX_SEQUENCE_TOKENS * 4, `expected at most ${MAX_SEQUENCE_TOKENS} tokens`)

/** One little-endian float32 per token: finite and, except for rounding, not above 0. */
const logprobsSchema = bytesSchema
  .refine(bytes => bytes.byteLength >= 4 && bytes.byteLength % 4 === 0, 'expected whole float32 values, at least one')
  .refine(bytes => bytes.byteLength <= MAX_SEQUENCE_TOKENS * 4, `expected at most ${MAX_SEQUENCE_TOKENS} values`)
  .refine(areLogprobs, 'expected log-probabilities')

/** Prompt and completion, with the log-probability that the sampler gave each token of the completion. */
export const sampledSequence = {
  promptTokens: tokensSchema,
  completionTokens: tokensSchema,
  logprobs: logprobsSchema,
  seed: hash32<Seed>(),
}

export type SampledSequence = { promptTokens: Uint8Array; completionTokens: Uint8Array; logprobs: Uint8Array }

/**
 * Bytes per token in these sequences, derived from the lengths: there is one float32 for each completion token.
 *
 * @returns 2 or 4, or null if the lengths agree with neither.
 */
export function tokenWidth({ promptTokens, completionTokens, logprobs }: SampledSequence): 2 | 4 | null {
  const width = completionTokens.byteLength / (logprobs.byteLength / 4)
  return (width === 2 || width === 4) && promptTokens.byteLength % width === 0 ? width : null
}

/** Refinement for the schema of an object with a {@link sampledSequence}. */
export function lengthsAgree(sequence: SampledSequence): boolean {
  const width = tokenWidth(sequence)
  return width !== null && sequence.promptTokens.byteLength / width <= MAX_SEQUENCE_TOKENS
}

function areLogprobs(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // Runs on bytes of any length: a refinement that failed does not stop the next one.
  for (let at = 0; at + 4 <= bytes.byteLength; at += 4) {
    const value = view.getFloat32(at, true)
    if (!(value >= -10_000 && value <= 1e-3)) return false
  }
  return true
}

/** Items numbered 0, 1, 2 … in order: the position that a leaf binds is the position in the bundle. */
export function areNumbered(items: readonly { index: number }[]): boolean {
  return items.every((item, position) => item.index === position)
}
