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
  /** After a round in which a peer's groups were scored. */
  note(peerKey: PeerKey, theirReward: number, ownReward: number): void
}

const KEY = 'trust'

/** Peers that are remembered: those last scored. A peer that is forgotten is a stranger again. */
export const TRUSTED_PEERS = 256

export function createTrust({ journal }: { journal: Journal }): Trust {
  let kept = (journal.getState(KEY) ?? {}) as { [peerKey: string]: number }
  return {
    of: peerKey => kept[peerKey] ?? STRANGER,
    note(peerKey, theirReward, ownReward) {
      // Without own reward there is no comparison: a peer that earned nothing either would gain trust.
      if (!(ownReward > 0) || !Number.isFinite(theirReward)) return
      const share = theirReward >= ownReward ? 1 : theirReward / ownReward
      const { [peerKey]: before = STRANGER, ...others } = kept
      const newest = Object.entries(others).slice(1 - TRUSTED_PEERS)
      const next = { ...Object.fromEntries(newest), [peerKey]: before + NEWEST * (share - before) }
      journal.setState(KEY, next)
      kept = next
    },
  }
}
