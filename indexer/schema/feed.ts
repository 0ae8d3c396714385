import { index, onchainEnum, onchainTable } from 'ponder'

export const feedKind = onchainEnum('feed_kind', [
  'peerRegistered',
  'peerMoved',
  'bootnodesSet',
  'scheduleSet',
  'environmentSet',
  'beaconDrawn',
  'evaluatorAdmitted',
  'evaluatorRemoved',
  'tasksProposed',
  'secretWithheld',
  'rolloutsCommitted',
  'votesCommitted',
  'votesRevealed',
  'settled',
  'leafFalse',
  'leafDemanded',
  'leafShown',
  'leafWithheld',
  'appealOpened',
  'appealClosed',
  'appealMoot',
  'openingsPaid',
  'taskPaid',
  'nectarClaimed',
  'staked',
  'unstaking',
  'stakeWithdrawn',
  'slashed',
  'compensated',
  'gameOpened',
  'betPlaced',
  'clueProven',
  'gameAnswered',
  'gameDisputed',
  'gameResolved',
  'gameVoided',
  'winningsTaken',
])

/** One row per event, in chain order: the live feed. */
export const feedItem = onchainTable(
  'feed_item',
  t => ({
    /** Ponder's event id: sorts as the chain does. */
    id: t.text().primaryKey(),
    /** Kind of event. */
    kind: feedKind().notNull(),
    round: t.integer(),
    peerKey: t.hex(),
    /** The event's other values, by its kind. */
    detail: t.jsonb().$type<Record<string, string | number | null>>().notNull(),
    atSec: t.int8({ mode: 'number' }).notNull(),
    /** Number of its block. */
    blockNumber: t.integer().notNull(),
    /** Its hash: a start compares it with the chain's. */
    blockHash: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  table => ({ byPeer: index().on(table.peerKey), byRound: index().on(table.round) }),
)

/** The peers to dial first, as last set. */
export const bootnodeSet = onchainTable('bootnode_set', t => ({
  id: t.text().primaryKey(),
  /** Their libp2p addresses. */
  multiaddrs: t.text().array().notNull(),
}))
