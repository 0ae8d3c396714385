import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { unpaidBase } from '#environments/paidBase.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { readPolicyBase } from '#rl/policy/publishedPolicy.ts'
import { type PeerFault, type PeerResult, peerFault } from '../fetch/peerResult.ts'
import type { HeldBases } from '../models/heldBases.ts'

type Here = { solverFolder: string; spec: Pick<EnvironmentSpec, 'bases'> }

/** Bases that the policies of a round's peers name, as far as they have arrived. */
export type PolicyBases = {
  /** Notes the base of a policy, by its header. */
  note(peerKey: PeerKey, policy: Uint8Array): void
  has(peerKey: PeerKey): boolean
  /** Folder of the base of a peer's policy, or why nothing can be read over it. Whole weights have the model's architecture. */
  folderOf(peerKey: PeerKey): PeerResult<string>
  /** The fault of work that cannot be checked for want of its base. */
  lacking(peerKey: PeerKey, reason: string): PeerFault
}

/** @param held - undefined for the environment's model alone. */
export function createPolicyBases({ solverFolder, spec }: Here, held: HeldBases | undefined): PolicyBases {
  const named = new Map<PeerKey, string | null>()

  const lacking = (peerKey: PeerKey, reason: string): PeerFault => ({
    ...peerFault('no base', reason),
    base: named.get(peerKey) as Hex,
  })

  return {
    note: (peerKey, policy) => void named.set(peerKey, namedBase(policy)),
    has: peerKey => named.has(peerKey),
    folderOf(peerKey) {
      const base = named.get(peerKey) ?? null
      if (base === null || held === undefined) return { ok: true, value: solverFolder }
      const unpaid = unpaidBase(base, spec)
      if (unpaid !== null) return peerFault('unpaid base', unpaid)
      const folder = held.folders.get(base)
      if (folder !== undefined) return { ok: true, value: folder }
      return lacking(peerKey, `its adapter is for the base ${base}, which this node does not hold`)
    },
    lacking,
  }
}

/** The base that a policy names; null for none, and for other bytes, which every check refuses. */
function namedBase(policy: Uint8Array): string | null {
  try {
    return readPolicyBase(policy)
  } catch (error) {
    if (error instanceof ModelFileError) return null
    throw error
  }
}
