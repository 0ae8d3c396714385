import type { PeerKey } from '#core/hashes.ts'
import type { Journal } from '#store/journal.ts'

/** Weight of the newest round in the average: a peer that turns bad is known after about four rounds. */
const NEWEST = 0.25

/** Trust in a peer without earlier groups: less than in a peer that answers as well as this one. */
const STRANGER = 0.5

/**
 * How much other peers' answers are worth learning from: a moving average, from 0 to 1, of the mean reward of a peer's
 * answers as a share of that of the own ones, both computed here. Kept in the journal.
 */
export type Trust = {
  of(peerKey: PeerKey): number
  /** After a peer's groups of a round were scored. A round that is learned again after a stop counts once. */
  note(peerKey: PeerKey, round: number, theirReward: number, ownReward: number): void
}

const KEY = 'trust'

/** Peers that are remembered: those last scored. A peer that is forgotten is a stranger again. */
export const TRUSTED_PEERS = 256

/** Each peer's trust, and the round that it was last changed by; null if it is unknown. */
type Kept = { [peerKey: string]: { trust: number; round: number | null } }

function readKept(journal: Journal): Kept {
  const state = (journal.getState(KEY) ?? {}) as { [peerKey: string]: Kept[string] | number }
  // A number alone is from release 0.15 or earlier.
  const entries = Object.entries(state).map(([peerKey, entry]) => [
    peerKey,
    typeof entry === 'number' ? { trust: entry, round: null } : entry,
  ])
  return Object.fromEntries(entries)
}

export function createTrust({ journal }: { journal: Journal }): Trust {
  let kept = readKept(journal)
  const of = (peerKey: PeerKey) => kept[peerKey]?.trust ?? STRANGER
  return {
    of,
    note(peerKey, round, theirReward, ownReward) {
      // Without own reward there is no comparison: a peer that earned nothing either would gain trust.
      if (!(ownReward > 0) || !Number.isFinite(theirReward) || kept[peerKey]?.round === round) return
      const share = theirReward >= ownReward ? 1 : theirReward / ownReward
      const trust = of(peerKey) + NEWEST * (share - of(peerKey))
      const { [peerKey]: _, ...others } = kept
      const newest = Object.entries(others).slice(1 - TRUSTED_PEERS)
      const next = { ...Object.fromEntries(newest), [peerKey]: { trust, round } }
      journal.setState(KEY, next)
      kept = next
    },
  }
}
