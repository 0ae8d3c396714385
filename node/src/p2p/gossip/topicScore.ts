import type { PeerScoreParams, PeerScoreThresholds, TopicScoreParams } from '@chainsafe/libp2p-gossipsub/score'

/** Seconds after which a counter has decayed to 1 %, at one tick a second. */
const decayOver = (seconds: number): number => 0.01 ** (1 / seconds)

/**
 * Below `graylistThreshold` a peer's messages are not read, and `peerGuard.ts` closes its connection. Three invalid messages result in
 * -90. That is strict, but a message counts as invalid only if its bytes alone prove it
 * wrong, so no honest peer forwards one.
 */
export const scoreThresholds: PeerScoreThresholds = {
  gossipThreshold: -20,
  publishThreshold: -40,
  graylistThreshold: -80,
  acceptPXThreshold: 10,
  opportunisticGraftThreshold: 1,
}

/**
 * Every field is set: a topic whose parameters are only partly set falls back to defaults that score bad peers well.
 *
 * Mesh delivery (P3) is off: a topic carries a few announcements a round, far too few to tell a silent peer from a quiet
 * minute.
 */
const topicScore: TopicScoreParams = {
  topicWeight: 1,
  timeInMeshWeight: 0.01,
  timeInMeshQuantum: 1000,
  timeInMeshCap: 300,
  firstMessageDeliveriesWeight: 0.1,
  firstMessageDeliveriesDecay: decayOver(120),
  firstMessageDeliveriesCap: 50,
  meshMessageDeliveriesWeight: 0,
  meshMessageDeliveriesDecay: 0.5,
  meshMessageDeliveriesCap: 2,
  meshMessageDeliveriesThreshold: 1,
  meshMessageDeliveriesWindow: 10,
  meshMessageDeliveriesActivation: 1000,
  meshFailurePenaltyWeight: 0,
  meshFailurePenaltyDecay: 0.5,
  invalidMessageDeliveriesWeight: -10,
  invalidMessageDeliveriesDecay: decayOver(600),
}

/** @param penaltyOf - points that `peerGuard.ts` holds against a peer, >= 0; they outlive a reconnection. */
export function scoreParams(topics: readonly string[], penaltyOf: (peerId: string) => number): PeerScoreParams {
  return {
    topics: Object.fromEntries(topics.map(topic => [topic, topicScore])),
    topicScoreCap: 20,
    appSpecificScore: peerId => -penaltyOf(peerId),
    appSpecificWeight: 1,
    // The slots limit how many come from one address. gossipsub counts all that came within `retainScore`, and those that came through a
    // relay as the relay's: anyone who invents 17 ids could have it, and everybody behind it, banned.
    IPColocationFactorWeight: 0,
    IPColocationFactorThreshold: 0,
    IPColocationFactorWhitelist: new Set(),
    behaviourPenaltyWeight: -10,
    behaviourPenaltyThreshold: 6,
    behaviourPenaltyDecay: decayOver(600),
    decayInterval: 1000,
    decayToZero: 0.01,
    retainScore: 600_000,
  }
}
