import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import type { Part } from './part.ts'

const sampled = z.object({
  round: z.int().nonnegative(),
  /** Length of the round. */
  seconds: z.number().positive(),
  /** Completion tokens in the rollouts that each committed to. */
  solvers: z.array(z.object({ peerKey: z.string(), tokens: z.number().nonnegative() })),
})

export type Sampled = z.infer<typeof sampled>

/** Samples of solvers in the newest round whose payloads a node has; null if it has none, or is of an earlier release. */
export function getSampled(): Promise<Part<Sampled | null>> {
  return fetchPart('gateway', readEnvironment().gatewayUrl, '/v1/sampled', sampled.nullable(), { missing: null })
}
