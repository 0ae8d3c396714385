import { MAX_CANARY_SAMPLES } from '#core/payloads/canaryBundle.ts'
import { MAX_ROLLOUT_BUNDLE_BYTES } from '#core/payloads/rolloutBundle.ts'
import { type EnvironmentSpec, environmentBytes } from './environmentSpec.ts'

type Contradiction = { readonly path: readonly string[]; readonly message: string }

/**
 * Fields of a specification that contradict each other, or that another makes unused, over all of its parts; empty for a sound one.
 *
 * Not part of `commonFields`, whose kinds spread it into schemas of their own: `parseSpec` and `checkSpec` apply it to all kinds.
 */
export function contradictionsOf(spec: EnvironmentSpec): Contradiction[] {
  const { tasksPerRound, groupSize, owedLeaves, sampledLeaves, solving, training, sharing, canary } = spec
  const { answersPerGroup, ownGroups, ownUpdates, minGroupDeviation } = training
  const leaves = tasksPerRound * groupSize
  const mostTokens = longestAnswer(leaves)
  const mostDeviation = largestDeviation(groupSize)
  const found: (Contradiction | false)[] = [
    owedLeaves !== leaves && {
      path: ['owedLeaves'],
      message: `expected tasksPerRound * groupSize, ${leaves}, not ${owedLeaves}: missing leaves score 0, and further ones make the whole round 0`,
    },
    sampledLeaves > owedLeaves && {
      path: ['sampledLeaves'],
      message: `expected at most owedLeaves, ${owedLeaves}, not ${sampledLeaves}`,
    },
    solving.maxNewTokens > mostTokens && {
      path: ['solving', 'maxNewTokens'],
      message: `expected at most ${mostTokens} with ${leaves} answers a round, not ${solving.maxNewTokens}: their bundle would be larger than ${MAX_ROLLOUT_BUNDLE_BYTES} bytes`,
    },
    minGroupDeviation > mostDeviation && {
      path: ['training', 'minGroupDeviation'],
      message: `expected at most ${mostDeviation.toFixed(3)} with groupSize ${groupSize}, not ${minGroupDeviation}: rewards from 0 to 1 never deviate more, and every group would be dropped`,
    },
    canary.tasks * canary.samplesPerTask > MAX_CANARY_SAMPLES && {
      path: ['canary', 'samplesPerTask'],
      message: `expected tasks * samplesPerTask of at most ${MAX_CANARY_SAMPLES}, not ${canary.tasks * canary.samplesPerTask}`,
    },
    answersPerGroup !== null &&
      answersPerGroup > groupSize && {
        path: ['training', 'answersPerGroup'],
        message: `expected at most groupSize, ${groupSize}, not ${answersPerGroup}; null learns from all`,
      },
    ownGroups !== null &&
      ownGroups > tasksPerRound && {
        path: ['training', 'ownGroups'],
        message: `expected at most tasksPerRound, ${tasksPerRound}, not ${ownGroups}; null learns from all`,
      },
    sharing.mode === 'mixed' &&
      ownUpdates > 1 && {
        path: ['training', 'ownUpdates'],
        message: `expected 1 with sharing.mode mixed, whose one update has own and taken groups, not ${ownUpdates}`,
      },
    sharing.mode === 'mixed' &&
      sharing.updatesPerPeer !== undefined && {
        path: ['sharing', 'updatesPerPeer'],
        message: 'expected none with sharing.mode mixed, whose one update has own and taken groups',
      },
    ...chainFields.map(name => isAmbiguous(spec, name)),
  ]
  return found.filter(one => one !== false)
}

/** Bytes of an answer in a bundle without its tokens, at least: its seed, sampling and keys. */
const ANSWER_BYTES = 128
/** Of a token of an answer, at least: its id, and its log-probability. `checkEnvironment` knows prompts and the size of ids. */
const TOKEN_BYTES = 2 + 4

/** Number of tokens that each of so many answers may have for their bundle to be valid, at most. */
function longestAnswer(answers: number): number {
  return Math.floor((MAX_ROLLOUT_BUNDLE_BYTES / answers - ANSWER_BYTES) / TOKEN_BYTES)
}

/** The largest standard deviation, over samples - 1, of so many rewards from 0 to 1: half of them are 1. */
function largestDeviation(rewards: number): number {
  const ones = Math.floor(rewards / 2)
  return Math.sqrt((ones * (rewards - ones)) / (rewards * (rewards - 1)))
}

/** Fields that the contracts read, at an offset which the caller gives. */
const chainFields = ['owedLeaves', 'sampledLeaves'] as const

/** A text that holds a field's encoded name, or a second key of that name, could be read in its place. */
function isAmbiguous(spec: EnvironmentSpec, name: (typeof chainFields)[number]): Contradiction | false {
  const bytes = Buffer.from(environmentBytes(spec))
  const encoded = Buffer.concat([Buffer.of(TEXT_HEAD + name.length), Buffer.from(name)])
  if (bytes.indexOf(encoded) === bytes.lastIndexOf(encoded)) return false
  const text = encoded.toString('latin1')
  return {
    path: [name],
    message: `expected once in the specification's bytes, which also hold ${JSON.stringify(text)} elsewhere: the contracts could read that one`,
  }
}

/** First byte of a text of fewer than 24 bytes in CBOR, less its length (RFC 8949, section 3.1). */
const TEXT_HEAD = 0x60
