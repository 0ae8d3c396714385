import { formatSizes, type PayloadSizes } from '#core/payloads/payloadSizes.ts'
import { MAX_SEQUENCE_TOKENS, MAX_SHEET_PEERS } from '#core/payloads/payloads.ts'
import type { Environment } from './environment.ts'
import type { EnvironmentSpec } from './environmentSpec.ts'

/** Names, hashes and numbers of a payload's header, and of one item in it, in dag-cbor. */
const HEADER_BYTES = 1024
const ITEM_BYTES = 512
const LOGPROB_BYTES = 4

/** Upper bound in bytes on a solver's answers of a round, and on its canary, with prompts of so many tokens. Not limited by the format. */
export function largestAnswers(
  { solving, canary, tasksPerRound, groupSize }: EnvironmentSpec,
  tokenBytes: number,
  promptTokens: number,
): Pick<PayloadSizes, 'rollouts' | 'canary'> {
  const { maxNewTokens } = solving
  const sampled = maxNewTokens * (tokenBytes + LOGPROB_BYTES) + promptTokens * tokenBytes + ITEM_BYTES
  return {
    rollouts: HEADER_BYTES + tasksPerRound * (ITEM_BYTES + groupSize * sampled),
    canary: HEADER_BYTES + canary.tasks * canary.samplesPerTask * (maxNewTokens * tokenBytes + ITEM_BYTES),
  }
}

/**
 * Upper bound in bytes on each kind of payload in an environment: counts and lengths from the specification, prompts and texts as long as
 * the format allows.
 */
export function payloadSizes({
  spec,
  components,
  format,
}: Pick<Environment, 'spec' | 'components'> & { format: Pick<Environment['format'], 'tokenBytes'> }): PayloadSizes {
  const scoredLeaf = ITEM_BYTES / 8 + components.reduce((sum, name) => sum + name.length + 4, 0)
  const largest: PayloadSizes = {
    ...largestAnswers(spec, format.tokenBytes, MAX_SEQUENCE_TOKENS),
    scores: HEADER_BYTES + MAX_SHEET_PEERS * (ITEM_BYTES + spec.sampledLeaves * scoredLeaf),
  }
  const capped = Object.entries(formatSizes).map(([kind, limit]) => [
    kind,
    Math.min(limit, largest[kind as keyof PayloadSizes]),
  ])
  return Object.fromEntries(capped) as PayloadSizes
}
