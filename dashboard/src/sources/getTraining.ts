import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import type { Part } from './part.ts'

const figure = z.number().nullable()

const step = z.object({
  round: z.int().nonnegative(),
  /** Groups of the peer itself; a step without any is on groups of others. */
  ownGroups: z.int().nonnegative(),
  groups: z.int().nonnegative(),
  /** Key of the other peer whose groups they are. A gateway of an earlier release does not say. */
  peer: z.string().nullable().default(null),
  reward: z.number(),
  /** Mean predicted correctness of answers; of a proposer, the share of answers to its tasks that were right. */
  passAt1: figure.default(null),
  /** Share of a proposer's candidates that became tasks; null for answers. */
  validShare: figure.default(null),
  loss: figure,
  kl: figure,
  entropy: figure,
  tokens: z.number().nonnegative(),
  seconds: z.number().nonnegative(),
  failure: z.string().nullable(),
})

const training = z.object({
  /** A gateway of an earlier release has solvers alone. */
  role: z.enum(['solver', 'proposer']).default('solver'),
  /** Null for the starter models. */
  model: z.string().nullable(),
  trained: z.enum(['weights', 'adapter']),
  device: z.string(),
  startedAtMs: z.number(),
  aliveAtMs: z.number().nullable(),
  /** Oldest first. */
  steps: z.array(step),
})

export type TrainingStep = z.infer<typeof step>
export type Training = z.infer<typeof training>

/** Training figures of a solver or learning proposer of the gateway's operator; null for other peers. */
export function getTraining(peerKey: string): Promise<Part<Training | null>> {
  const { gatewayUrl } = readEnvironment()
  return fetchPart('gateway', gatewayUrl, `/v1/training/${peerKey}`, training.nullable(), { missing: null })
}
