import { index, onchainTable } from 'ponder'

/**
 * Reports of RL Swarm nodes about themselves through `SwarmCoordinator`, and rows imported from RL Swarm's leaderboard. Unchecked
 * claims: ids need no proof, rewards are any number, and no points, seats or Nectar follow from them.
 */
export const claimedPeer = onchainTable(
  'claimed_peer',
  t => ({
    /** The claimed id: any text, perhaps not a peer id. */
    peerId: t.text().primaryKey(),
    /** Account that claimed it last; null if it was only named as a winner. */
    account: t.hex(),
    /** Sum of the rewards that it claims. */
    claimedRewards: t.bigint().notNull().default(0n),
    /** Rounds for which it claims rewards. */
    rewardsSubmitted: t.integer().notNull().default(0),
    /** Rounds in which it named winners. */
    roundsVoted: t.integer().notNull().default(0),
    /** Times that it was named as a winner, including by itself. */
    timesNamed: t.integer().notNull().default(0),
    /** The last round that it claims to have worked in. */
    lastRound: t.bigint(),
    /** Its total rewards on the leaderboard of RL Swarm that was imported; null if it has no row there. */
    importedRewards: t.bigint(),
    /** Its total wins there. */
    importedWins: t.bigint(),
  }),
  table => ({ byRewards: index().on(table.claimedRewards), byAccount: index().on(table.account) }),
)
