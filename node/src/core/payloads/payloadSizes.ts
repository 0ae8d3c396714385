import { MAX_CANARY_BUNDLE_BYTES } from './canaryBundle.ts'
import type { Payloads } from './payloads.ts'
import { MAX_ROLLOUT_BUNDLE_BYTES } from './rolloutBundle.ts'
import { MAX_SCORE_SHEET_BYTES } from './scoreSheet.ts'

/** Maximum of bytes of a payload, by kind. */
export type PayloadSizes = Readonly<Record<keyof Payloads, number>>

/** The format's own limits in every environment: no decoder accepts more. */
export const formatSizes: PayloadSizes = {
  rollouts: MAX_ROLLOUT_BUNDLE_BYTES,
  scores: MAX_SCORE_SHEET_BYTES,
  canary: MAX_CANARY_BUNDLE_BYTES,
}

/**
 * Limit for a published policy, in float32: an adapter of rank 16 for all linear modules has 35 MB for Qwen2.5-0.5B, 40 MB for Qwen3-0.6B and
 * 45 MB for Llama-3.2-1B.
 */
export const MAX_POLICY_BYTES = 64 << 20

/** Limit for any kind, of hosts and stores. Each payload is held in memory as a whole. */
export const MAX_PAYLOAD_BYTES = Math.max(...Object.values(formatSizes), MAX_POLICY_BYTES)
