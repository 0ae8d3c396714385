import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { MAX_TASKS } from '@waggle/deployments/protocol'
import { z } from 'zod'
import { CanonicalError, decodeCanonical, encodeCanonical } from '../canonical.ts'
import type { PeerKey, TaskHash } from '../hashes.ts'
import { abiWords, keccak } from '../keccak.ts'
import { levelSchema } from './payloadFields.ts'

/** Problem and unit tests. RL Swarm limits a proposal to 2,000 characters. */
export const MAX_TASK_CHARACTERS = 4000
/** Once inflated: a proposal that is larger is malformed, so that a few bytes cannot fill a reader's memory. */
const MAX_INFLATED_BYTES = 1 << 20
/** Values and keys: the texts, and the fields around them. */
const MAX_ITEMS = MAX_TASKS + 16

const proposedSchema = z.strictObject({
  v: z.literal(1),
  level: levelSchema,
  texts: z.array(z.string().max(MAX_TASK_CHARACTERS)).max(MAX_TASKS),
})

/** A proposer's tasks for a round: the target level, and each task as solvers read it, problem and tests. */
export type ProposedTasks = { level: number; texts: readonly string[] }

/** The bytes of a proposal as the chain holds them: raw deflate over canonical dag-cbor. */
export function encodeProposal({ level, texts }: ProposedTasks): Uint8Array {
  const bytes = encodeCanonical({ v: 1, level, texts })
  return new Uint8Array(deflateRawSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
}

/** The decoded proposal; null if the bytes are malformed. Hostile bytes cost at most {@link MAX_INFLATED_BYTES} of memory. */
export function decodeProposal(bytes: Uint8Array): ProposedTasks | null {
  try {
    const inflated = inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES })
    return decodeCanonical(inflated, proposedSchema, MAX_INFLATED_BYTES, MAX_ITEMS)
  } catch (error) {
    const isMalformed = error instanceof CanonicalError || isZlibError(error)
    if (isMalformed) return null
    throw error
  }
}

/** A task's place among those of its round. */
export type TaskRef = { peerKey: PeerKey; index: number }

/** The identity of a task in its round, as `RolloutCommitments.taskHashOf` computes it. */
export function taskHash({ peerKey, index }: TaskRef): TaskHash {
  return keccak(abiWords([peerKey, index]))
}

function isZlibError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
  return code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE'
}
