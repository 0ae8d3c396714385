import type { Bodies } from './bodyOperations.ts'
import { MAX_CANARY_BUNDLE_BYTES } from './canaryBundle.ts'
import { MAX_ROLLOUT_BUNDLE_BYTES } from './rolloutBundle.ts'
import { MAX_SCORE_SHEET_BYTES } from './scoreSheet.ts'

/** Bytes of a body at most, by kind. */
export type BodySizes = Readonly<Record<keyof Bodies, number>>

/** What the format itself allows, whatever the environment: no decoder takes more. */
export const formatSizes: BodySizes = {
  rollouts: MAX_ROLLOUT_BUNDLE_BYTES,
  scores: MAX_SCORE_SHEET_BYTES,
  canary: MAX_CANARY_BUNDLE_BYTES,
}

/** Of a policy that a peer publishes: an adapter of rank 16 for a model of half a billion parameters has 18 MB. */
export const MAX_POLICY_BYTES = 32 << 20

/** Of any kind: what a host serves and a store keeps. Each body is held in memory whole. */
export const MAX_BODY_BYTES = Math.max(...Object.values(formatSizes), MAX_POLICY_BYTES)
