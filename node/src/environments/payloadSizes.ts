import { formatSizes, type PayloadSizes } from '#core/payloads/payloadSizes.ts'
import { MAX_SEQUENCE_TOKENS, MAX_SHEET_PEERS } from '#core/payloads/payloads.ts'
import type { Environment } from './environment.ts'

/** Names, hashes and numbers of a payload's header, and of one item in it, in dag-cbor. */
const HEADER_BYTES = 1024
const ITEM_BYTES = 512
const LOGPROB_BYTES = 4

/**
 * Upper bound in bytes on each kind of payload in an environment: counts and lengths from the specification, prompts and texts as long as
 * the format allows.
 */
export function payloadSizes({
  spec,
  components,
  format,
}: Pick<Environment, 'spec' | 'components'> & { format: Pick<Environment['format'], 'tokenBytes'> }): PayloadSizes {
  const { solving, canary, tasksPerRound, groupSize, sampledLeaves } = spec
  const token = format.tokenBytes
  const prompt = MAX_SEQUENCE_TOKENS * token
  const sampled = (maxNewTokens: number) => maxNewTokens * (token + LOGPROB_BYTES) + prompt + ITEM_BYTES
  const scoredLeaf = ITEM_BYTES / 8 + components.reduce((sum, name) => sum + name.length + 4, 0)
  const largest: PayloadSizes = {
    rollouts: tasksPerRound * (ITEM_BYTES + groupSize * sampled(solving.maxNewTokens)),
    scores: MAX_SHEET_PEERS * (ITEM_BYTES + sampledLeaves * scoredLeaf),
    canary: canary.tasks * canary.samplesPerTask * (solving.maxNewTokens * token + ITEM_BYTES),
  }
  const capped = Object.entries(formatSizes).map(([kind, limit]) => [
    kind,
    Math.min(limit, HEADER_BYTES + largest[kind as keyof PayloadSizes]),
  ])
  return Object.fromEntries(capped) as PayloadSizes
}
