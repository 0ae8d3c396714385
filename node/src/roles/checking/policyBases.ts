import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { unpaidBase } from '#environments/paidBase.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { architectureOf, readPolicyBase } from '#rl/policy/publishedPolicy.ts'
import { type PeerFault, type PeerResult, peerFault } from '../fetch/peerResult.ts'
import type { HeldBases } from './heldBases.ts'

type Here = { solverFolder: string; spec: Pick<EnvironmentSpec, 'bases'> }

/** Bases of the policies of a round's peers, as far as they have arrived. */
export type PolicyBases = {
  /** Notes the base of a policy, by its header. */
  note(peerKey: PeerKey, policy: Uint8Array): Promise<void>
  has(peerKey: PeerKey): boolean
  /** Folder of the base of a peer's policy, or why nothing can be read over it. Whole weights have the architecture of their base. */
  folderOf(peerKey: PeerKey): PeerResult<string>
  /** The fault of work that cannot be checked for want of its base. */
  lacking(peerKey: PeerKey, reason: string): PeerFault
}

/** @param held - undefined for the environment's model alone. */
export function createPolicyBases({ solverFolder, spec }: Here, held: HeldBases | undefined): PolicyBases {
  const named = new Map<PeerKey, string | null>()
  /** Of whole weights, the folder of a base with their architecture. */
  const fitting = new Map<PeerKey, string | null>()
  // With one base, whole weights of another architecture are malformed for everybody.
  const isOneOfSeveral = spec.bases !== null && spec.bases.length > 1
  const folders = [...new Set([solverFolder, ...(held?.folders.values() ?? [])])]
  const holdsAll = held?.lacking.length === 0

  const lacking = (peerKey: PeerKey, reason: string): PeerFault => {
    const base = (named.get(peerKey) ?? null) as Hex | null
    return { ...peerFault('no base', reason), ...(base && { base }) }
  }

  async function fittingFolder(policy: Uint8Array): Promise<string | null> {
    const configs = await Promise.all(folders.map(readDecoderConfig))
    return folders[architectureOf(policy, configs)] ?? null
  }

  return {
    async note(peerKey, policy) {
      const base = namedBase(policy)
      if (base === null && isOneOfSeveral) fitting.set(peerKey, await fittingFolder(policy))
      named.set(peerKey, base ?? null)
    },
    has: peerKey => named.has(peerKey),
    folderOf(peerKey) {
      const base = named.get(peerKey) ?? null
      if (base === null) {
        const fits = fitting.get(peerKey)
        if (fits !== null || holdsAll) return { ok: true, value: fits ?? solverFolder }
        return lacking(peerKey, 'its weights have the architecture of none of the bases that this node holds')
      }
      if (held === undefined) return { ok: true, value: solverFolder }
      const unpaid = unpaidBase(base, spec)
      if (unpaid !== null) return peerFault('unpaid base', unpaid)
      const folder = held.folders.get(base)
      if (folder !== undefined) return { ok: true, value: folder }
      return lacking(peerKey, `its adapter is for the base ${base}, which this node does not hold`)
    },
    lacking,
  }
}

/** The base that a policy names; null for whole weights, undefined for other bytes, which every check refuses. */
function namedBase(policy: Uint8Array): string | null | undefined {
  try {
    return readPolicyBase(policy)
  } catch (error) {
    if (error instanceof ModelFileError) return undefined
    throw error
  }
}
