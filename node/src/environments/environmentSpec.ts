import { keccak_256 } from '@noble/hashes/sha3.js'
import { z } from 'zod'
import { encodeCanonical } from '#core/canonical.ts'
import type { EnvironmentHash } from '#core/hashes.ts'
import { hash32Schema, toHex } from '#core/hex.ts'

export const share = z.number().min(0).max(1)

/** At least: below, a division of logits by it may overflow. */
const LEAST_TEMPERATURE = 0.01

export const samplingSchema = z.strictObject({
  /** 0 is greedy. */
  temperature: z
    .number()
    .max(10)
    .refine(value => value === 0 || value >= LEAST_TEMPERATURE, `expected 0, or at least ${LEAST_TEMPERATURE}`),
  maxNewTokens: z.int().min(1).max(4096),
})
export type Sampling = z.output<typeof samplingSchema>

/** Learning takes the nucleus for the whole distribution, so ratios of policies are off by the share that is left out. */
const LEAST_TOP_P = 0.99

const solvingSchema = samplingSchema
  .extend({
    /**
     * Tokens are drawn from the most likely ones that together have this probability. In a vocabulary of 50,000 the rest are thousands of
     * tokens so unlikely that a check of sampling cannot tell them apart.
     */
    topP: z.number().min(LEAST_TOP_P).max(1).default(1),
  })
  .refine(({ temperature }) => temperature > 0, 'expected a temperature above 0, since a policy that learns is sampled')

/** A moment that never decays has no estimate without bias: AdamW divides by 1 - beta^t. */
const decay = z.number().min(0).lt(1)

const trainingSchema = z.strictObject({
  /** Learning rate of a policy that trains all weights. */
  learningRate: z.number().positive().max(0.1),
  /** Learning rate of an adapter, some ten to a hundred times as large (arXiv:2106.09685 section D). */
  adapterLearningRate: z.number().positive().max(0.1),
  betas: z.tuple([decay, decay]),
  weightDecay: z.number().min(0).max(1),
  /** Rounds in which the learning rate rises to its value. */
  warmUpRounds: z.int().min(0).max(1000),
  /** Afterwards the rate stays, or falls to zero over the rounds of a run: `learningRateAt`. */
  schedule: z.enum(['constant', 'linear', 'cosine']).default('constant'),
  /** Rounds of the whole run, at whose end a falling rate is zero; null for `constant`. */
  totalRounds: z.int().min(1).max(1_000_000).nullable().default(null),
  /** Gradients are clipped to this norm. */
  maxGradientNorm: z.number().positive(),
  clipLow: share,
  clipHigh: share,
  /**
   * Divisor of the differences between rewards and the mean of their group: the standard deviation of the group, of the batch, or none. Division by
   * the group's makes noise in the rewards of equally good answers as large as a signal.
   */
  scaleRewards: z.enum(['group', 'batch', 'none']),
  /** Groups whose rewards deviate less (standard deviation over samples - 1) teach nothing and are dropped. */
  minGroupDeviation: z.number().min(0).max(1),
  /** Number of answers of a group that are learned from: those whose rewards are farthest apart. Null for all. */
  answersPerGroup: z.int().min(2).max(64).nullable().default(null),
  /** Own groups that a round's update learns from: those whose rewards deviate most; null for all. */
  ownGroups: z.int().min(1).max(256).nullable().default(null),
  /** Updates on the own groups in a round; 1 in mode `mixed`, whose update includes groups of others. */
  ownUpdates: z.int().min(1).max(16).default(1),
})
const scheduledSchema = trainingSchema
  .refine(
    ({ schedule, totalRounds }) => schedule === 'constant' || totalRounds !== null,
    'a learning rate that falls needs totalRounds',
  )
  .refine(({ schedule, totalRounds }) => schedule !== 'constant' || totalRounds === null, {
    error: 'expected null with schedule constant, whose rate never falls',
    path: ['totalRounds'],
  })
  .refine(
    ({ schedule, totalRounds, warmUpRounds }) => schedule === 'constant' || warmUpRounds < (totalRounds ?? Infinity),
    {
      error: 'expected fewer than totalRounds: the rate would rise past the end of the run',
      path: ['warmUpRounds'],
    },
  )

const sharedSchema = z.strictObject({
  /**
   * `updateForEachPeer`: after the update on the own groups, one for the groups of each other solver, the importance
   * ratio against the log-probabilities that came with them. `mixed`: taken groups join the own ones in one update.
   */
  mode: z.enum(['updateForEachPeer', 'mixed']),
  /** Maximum of groups taken from one peer in a round. */
  groupsPerPeer: z.int().min(0).max(256),
  /** Maximum of peers whose groups are taken in a round. */
  peers: z.int().min(0).max(64),
  /**
   * Nats per token that an update on groups of others may move the policy. An update that exceeds it is undone, and its peer is ignored for some
   * rounds if that happens again. Honest groups must stay below it at the environment's rate.
   */
  maxKl: z.number().positive().max(1).default(0.02),
  /** `updateForEachPeer`: updates on the groups of each other solver; 1 if it is not given. */
  updatesPerPeer: z.int().min(1).max(8).optional(),
  /** `mixed`: number of taken groups that join the own ones, those that deviate most, weighted by the trust in their peers; null for all. */
  externalGroups: z.int().min(0).max(1024).nullable().default(null),
  /**
   * `squareRoot`: each update's learning rate is divided by the square root of the number of updates in a round. AdamW's steps have one size for any
   * noise in the gradient, so more of them move the policy further at random (Malladi et al., arXiv:2205.10287).
   */
  learningRateScaling: z.enum(['none', 'squareRoot']).default('none'),
})
const sharingSchema = sharedSchema.refine(({ mode, externalGroups }) => mode === 'mixed' || externalGroups === null, {
  error: 'expected null with mode updateForEachPeer, which learns from all groups taken',
  path: ['externalGroups'],
})

/** The fields of every environment's specification: the size of a round, and a solver's sampling and learning. */
export const commonFields = {
  version: z.int().min(1),
  preset: z.string().min(1).max(64),
  /** Tasks that a solver answers in a round, and answers to each. */
  tasksPerRound: z.int().min(1).max(256),
  groupSize: z.int().min(2).max(64),
  /** Leaves that a solver owes in a round, `tasksPerRound * groupSize`; missing ones count 0. */
  owedLeaves: z.int().min(1).max(4096),
  /** Number of owed leaves that the beacon draws to be scored. Gas grows with its square: a demand of the last leaf must fit a transaction. */
  sampledLeaves: z.int().min(1).max(256),
  /** Used for sampling and training alike; above 0, since greedy decoding would not explore. */
  solving: solvingSchema,
  training: scheduledSchema,
  /**
   * Content hashes (`hashWeights`) of the base models over which adapters are paid; adapters over others learn unpaid. Null pays over any.
   * Policies of whole weights name no base: they have the architecture of one of these.
   */
  bases: z
    .array(hash32Schema)
    .min(1)
    .max(16)
    .refine(hashes => new Set(hashes).size === hashes.length, 'expected each base once')
    .nullable()
    .default(null),
  sharing: sharingSchema,
  canary: z.strictObject({
    level: z.int().min(1).max(5),
    tasks: z.int().min(1).max(1000),
    samplesPerTask: z.int().min(1).max(64),
    everyRounds: z.int().min(1).max(1000),
  }),
}

/**
 * Everything that determines tasks, scores and learning: these fields and the environment's own. Its hash is on the chain for each round:
 * the public rule.
 */
export type EnvironmentSpec = { readonly name: string } & z.output<z.ZodObject<typeof commonFields>>

/** Proposals for each task that one solver answers: three solvers then meet few tasks twice. */
const POOL_FACTOR = 3

/** Number of tasks that a proposer proposes for a round. */
export function proposalsPerRound({ tasksPerRound }: Pick<EnvironmentSpec, 'tasksPerRound'>): number {
  return POOL_FACTOR * tasksPerRound
}

/** Canonical dag-cbor of a specification. */
export function environmentBytes(spec: EnvironmentSpec): Uint8Array {
  return encodeCanonical(spec)
}

/** The hash in `Rounds.environmentOf`: keccak-256 of the canonical dag-cbor of the specification. */
export function environmentHash(spec: EnvironmentSpec): EnvironmentHash {
  return toHex(keccak_256(environmentBytes(spec)))
}
