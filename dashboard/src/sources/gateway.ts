import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import type { Part } from './part.ts'

const peer = { peerId: z.string(), peerKey: z.string(), name: z.string() }
/** From 0 to 1; sums of fractions may miss either end by a hair. */
const share = z.number().transform(value => Math.min(1, Math.max(0, value)))

const rollout = z.object({
  /** Its leaf among all rollouts that the peer commits to. */
  index: z.int().nonnegative(),
  text: z.string(),
  ended: z.boolean(),
  tokens: z.int().nonnegative(),
  /** By the component's name; null until an evaluator has revealed its score sheet. */
  components: z.record(z.string(), share).nullable(),
  scoreMilli: z.number().nullable(),
})

const group = z.object({ ...peer, taskHash: z.string(), text: z.string(), level: z.int(), rollouts: z.array(rollout) })

const task = z.object({
  /** Peer id. */
  proposer: z.string(),
  proposerName: z.string(),
  index: z.int().nonnegative(),
  level: z.int(),
  text: z.string(),
  taskHash: z.string(),
})

const evaluator = z.object({
  votes: z.array(
    z.object({
      peerKey: z.string(),
      /** The base of the peer's policy, if the evaluator does not hold it. A gateway of an earlier release does not say. */
      lacksBase: z.string().nullable().default(null),
    }),
  ),
})

const roundPayloads = z.object({
  round: z.int(),
  tasks: z.array(task),
  groups: z.array(group),
  evaluators: z.array(evaluator),
})

const count = z.int().min(0)
/** The judge against execution, in answers; 0.5 and more is what the judge calls right. */
const judge = z.object({
  truePositives: count,
  falsePositives: count,
  falseNegatives: count,
  trueNegatives: count,
  calibrationError: share,
})

const canaryPoint = z.object({
  round: z.int(),
  ...peer,
  reward: share.nullable(),
  predicted: share.nullable(),
  passAt1: share.nullable(),
  /** A gateway of an earlier release does not say. */
  judge: judge.optional(),
  tasks: z.int(),
  /** Over all tasks. */
  samples: z.int(),
  /** A gateway of an earlier release does not say. */
  families: z.array(z.object({ family: z.string(), samples: z.int().min(1), passed: count })).optional(),
})

const heldOut = z.object({
  level: z.int(),
  tasks: z.int(),
  solvers: z.array(z.object({ name: z.string(), before: share, after: share })),
})

const canary = z.object({ points: z.array(canaryPoint), heldOut: heldOut.nullable() })

const release = z.string().regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/)

const status = z.object({
  round: z.int().nullable(),
  secondsLeft: z.number().nullable(),
  level: z.int().nullable(),
  /** Number of peers of the last rounds by role, and by the release that they report. A gateway before 0.17.0 lists them instead: null, and none. */
  roles: z.record(z.string(), count).nullable().default(null),
  releases: z.record(release, count).default({}).catch({}),
  environment: z.unknown(),
})

/** A peer of the last rounds; the release is its own word. */
const seenPeer = z.object({ release: release.nullable().catch(null) })

export type Rollout = z.infer<typeof rollout>
export type RolloutGroup = z.infer<typeof group>
export type Task = z.infer<typeof task>
export type RoundPayloads = z.infer<typeof roundPayloads>
export type CanaryPoint = z.infer<typeof canaryPoint>
export type HeldOut = z.infer<typeof heldOut>
export type Canary = z.infer<typeof canary>
export type SwarmStatus = z.infer<typeof status>
export type SeenPeer = z.infer<typeof seenPeer>

/** Proposals and answers of a round from a gateway: payloads are not on the chain. */
export function getRoundPayloads(round: number): Promise<Part<RoundPayloads>> {
  const missing = { round, tasks: [], groups: [], evaluators: [] }
  return fetchPart('gateway', readEnvironment().gatewayUrl, `/v1/rounds/${round}`, roundPayloads, { missing })
}

export function getCanary(): Promise<Part<Canary>> {
  return fetchPart('gateway', readEnvironment().gatewayUrl, '/v1/canary', canary)
}

export function getSwarmStatus(): Promise<Part<SwarmStatus>> {
  return fetchPart('gateway', readEnvironment().gatewayUrl, '/v1/status', status)
}

/** A peer as the gateway knows it; without a release if it has not met it lately. */
export function getSeenPeer(peerKey: string): Promise<Part<SeenPeer>> {
  return fetchPart('gateway', readEnvironment().gatewayUrl, `/v1/peers/${peerKey}`, seenPeer, {
    missing: { release: null },
  })
}
