import { decodeRolloutBundle, decodeTaskBundle, type RolloutBundle, rootOf, type TaskBundle } from '#core/bodies.ts'
import { CanonicalError } from '#core/canonical.ts'
import type { Hex } from '#core/hex.ts'

/** What a peer committed for a round; `count` is of tasks or of leaves. */
export type Commitment = { peerKey: Hex; root: Hex; count: number; contentId: Hex }

const decoders = { tasks: decodeTaskBundle, rollouts: decodeRolloutBundle } as const
type Bundles = { tasks: TaskBundle; rollouts: RolloutBundle }

/** The bundle in a body, if it is the one that its peer committed. */
export function openCommitted<Kind extends keyof Bundles>(
  kind: Kind,
  bytes: Uint8Array,
  { chainId, round }: { chainId: number; round: number },
  { peerKey, root, count }: Commitment,
): Bundles[Kind] | 'malformed' | 'another' {
  let bundle: Bundles[Kind]
  try {
    bundle = decoders[kind](bytes) as Bundles[Kind]
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    return 'malformed'
  }
  const leaves =
    'tasks' in bundle ? bundle.tasks.length : bundle.groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
  const isBound = bundle.chainId === chainId && bundle.round === round && bundle.peerKey === peerKey
  return isBound && leaves === count && rootOf(bundle) === root ? bundle : 'another'
}
