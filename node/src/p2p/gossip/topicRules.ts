import { LAST_READING } from '@waggle/deployments/protocol'
import type { AnnouncementKind } from './topics.ts'

type TopicRule = {
  /** Rounds taken, counted from the current one as we see it: from `earliest` to `latest`, both inside. */
  earliest: number
  latest: number
  /** Messages that one peer may send about one round: the announcement, its amendments, and repeats after restarts. */
  perPeerAndRound: number
}

/** Until the jury of a second appeal reads, whose seats mostly never had the bundle; one more round for a view that lags. */
const LAST_APPEAL = -(LAST_READING + 1)

/**
 * One rule for each topic of rounds. `earliest` allows for late joiners, late settlement and appeals; `latest` allows for a view
 * of the chain that lags by a round.
 */
export const topicRules: Record<AnnouncementKind, TopicRule> = {
  // Committed in the round itself, amendable until its end; scored in the next; needed until the last appeal is judged.
  rollouts: { earliest: LAST_APPEAL, latest: 1, perPeerAndRound: 16 },
  // Revealed two rounds later, final after three more.
  scores: { earliest: -6, latest: 1, perPeerAndRound: 8 },
  canary: { earliest: -6, latest: 1, perPeerAndRound: 8 },
}

/** The union of all rules, for catching up. */
export const roundsKept = { earliest: LAST_APPEAL, latest: 1 }
