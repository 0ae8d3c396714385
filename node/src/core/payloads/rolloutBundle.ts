import { z } from 'zod'
import { encodeCanonical } from '../canonical.ts'
import { contentId } from '../contentId.ts'
import { hash32, type LeafHash, type PeerKey } from '../hashes.ts'
import type { Hex } from '../hex.ts'
import { hash32Schema } from '../hex.ts'
import { type LeafHeader, leafHash } from './leaf.ts'
import { payloadCodec } from './payloadCodec.ts'
import { areNumbered, bundleHeader, indexSchema, lengthsAgree, sampledSequence } from './payloadFields.ts'
import { type TaskRef, taskHash } from './taskProposal.ts'

const MAX_GROUPS = 256
const MAX_GROUP_ROLLOUTS = 64
/** Leaves of one commitment. */
const MAX_ROLLOUTS = 4096
export const MAX_ROLLOUT_BUNDLE_BYTES = 8 * 1024 * 1024
/** Values and keys: 19 a leaf, 9 a group and some. */
const MAX_ITEMS = 20 * MAX_ROLLOUTS + 16 * MAX_GROUPS

const rolloutSchema = z
  .strictObject({
    /** Position among all rollouts of the bundle, not of the group. */
    index: indexSchema,
    ...sampledSequence,
    sampling: z.strictObject({
      /** 0 is greedy. */
      temperature: z.number().min(0).max(10),
      maxNewTokens: z.int().min(1).max(4096),
    }),
    /** Whether the completion ended by itself, inside the limit. */
    ended: z.boolean(),
  })
  .refine(lengthsAgree, 'expected as many completion tokens as log-probabilities')

const groupSchema = z.strictObject({
  /** The task's place: the proposer's peer key, and the task's index in its proposal for the round. */
  taskRef: z.strictObject({ peerKey: hash32<PeerKey>(), index: indexSchema }),
  rollouts: z.array(rolloutSchema).min(1).max(MAX_GROUP_ROLLOUTS).refine(shareAPrompt, 'expected one prompt a group'),
})

const rolloutBundleSchema = z.strictObject({
  ...bundleHeader,
  /** sha-256 of the ONNX graph that sampled, if known: replay is exact only on the same one. */
  graphHash: hash32Schema.optional(),
  groups: z
    .array(groupSchema)
    .min(1)
    .max(MAX_GROUPS)
    .refine(groups => areNumbered(groups.flatMap(group => group.rollouts)), 'expected rollouts numbered from 0')
    .refine(groups => groups.reduce((sum, group) => sum + group.rollouts.length, 0) <= MAX_ROLLOUTS, 'too many leaves'),
})

/** A solver's rollouts of a round, which it publishes and commits to. Contains no scores: others give them. */
export type RolloutBundle = z.output<typeof rolloutBundleSchema>
export type RolloutGroup = RolloutBundle['groups'][number]
export type Rollout = RolloutGroup['rollouts'][number]

const codec = payloadCodec(rolloutBundleSchema, MAX_ROLLOUT_BUNDLE_BYTES, MAX_ITEMS)
export const encodeRolloutBundle = codec.encode
export const decodeRolloutBundle = codec.decode

/** A leaf's header and its encoded body, whose hash is `bodyHash`, as published on the chain. */
export type RolloutLeaf = { header: LeafHeader; taskRef: TaskRef; body: Uint8Array }

/** A leaf of a bundle; undefined if there is none of that index. */
export function rolloutLeaf({ groups, ...place }: RolloutBundle, index: number): RolloutLeaf | undefined {
  for (const group of groups) {
    const rollout = group.rollouts[index - (group.rollouts[0]?.index ?? 0)]
    if (rollout?.index === index) return leafIn(place, group, rollout)
  }
  return undefined
}

function leafIn(
  { chainId, round, peerKey, policyHash }: Omit<RolloutBundle, 'groups'>,
  { taskRef }: RolloutGroup,
  { index, ...rollout }: Rollout,
): RolloutLeaf {
  const body = encodeCanonical({ taskRef, ...rollout })
  const place = { chainId, round, peerKey, index, taskHash: taskHash(taskRef) }
  return { body, taskRef, header: { ...place, policyHash, seed: rollout.seed, bodyHash: contentId(body) as Hex } }
}

/** One leaf a rollout, in order. */
export function rolloutLeaves({ groups, ...place }: RolloutBundle): LeafHash[] {
  return groups.flatMap(group => group.rollouts.map(rollout => leafHash(leafIn(place, group, rollout).header)))
}

function shareAPrompt(rollouts: readonly { promptTokens: Uint8Array }[]): boolean {
  const first = rollouts[0]?.promptTokens
  return first !== undefined && rollouts.every(({ promptTokens }) => Buffer.compare(promptTokens, first) === 0)
}
