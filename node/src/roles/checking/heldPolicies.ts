import type { ContentId, PeerKey } from '#core/hashes.ts'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import type { PeerResult } from '../fetch/peerResult.ts'

/** Bytes of policies that wait in memory for their checks if the disk is full: four of the largest. */
const HELD_BYTES = 4 * MAX_POLICY_BYTES

/** The rest of that memory, for all proofs that are read together. */
export type PolicyMemory = { leftBytes: number }

export const policyMemory = (): PolicyMemory => ({ leftBytes: HELD_BYTES })

/** Policies in memory that are not on the disk: a check must not fetch a policy again from a slow peer while others wait. */
export function createHeldPolicies(bundles: { has(contentId: ContentId): boolean }, memory: PolicyMemory) {
  const held = new Map<PeerKey, Uint8Array>()

  return {
    hold(bytes: Uint8Array, { contentId, peerKey }: { contentId: ContentId; peerKey: PeerKey }): void {
      if (bundles.has(contentId) || bytes.byteLength > memory.leftBytes) return
      memory.leftBytes -= bytes.byteLength
      held.set(peerKey, bytes)
    },
    takeHeld(peerKey: PeerKey): PeerResult<Uint8Array> | null {
      const bytes = held.get(peerKey)
      if (bytes === undefined) return null
      held.delete(peerKey)
      memory.leftBytes += bytes.byteLength
      return { ok: true, value: bytes }
    },
  }
}
