import { type EnvironmentSpec, environmentBytes } from './environmentSpec.ts'

type Contradiction = { readonly path: readonly string[]; readonly message: string }

/**
 * Fields of a specification that contradict each other, or that another makes unused, over all of its parts; empty for a sound one.
 *
 * Not part of `commonFields`, whose kinds spread it into schemas of their own: `parseSpec` and `checkSpec` apply it to all kinds.
 */
export function contradictionsOf(spec: EnvironmentSpec): Contradiction[] {
  const { tasksPerRound, groupSize, owedLeaves, sampledLeaves, training, sharing } = spec
  const { answersPerGroup, ownGroups, ownUpdates } = training
  const leaves = tasksPerRound * groupSize
  const found: (Contradiction | false)[] = [
    owedLeaves !== leaves && {
      path: ['owedLeaves'],
      message: `expected tasksPerRound * groupSize, ${leaves}, not ${owedLeaves}: missing leaves score 0, and further ones make the whole round 0`,
    },
    sampledLeaves > owedLeaves && {
      path: ['sampledLeaves'],
      message: `expected at most owedLeaves, ${owedLeaves}, not ${sampledLeaves}`,
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
