import { index, onchainTable } from 'ponder'

/**
 * What existing RL Swarm nodes report of themselves through `SwarmCoordinator`, and what was imported of RL Swarm's leaderboard. Claims, and nothing more: ids need no proof, rewards are
 * any number, and no point, seat or Nectar follows from them.
 */
export const claimedPeer = onchainTable(
  'claimed_peer',
  t => ({
    /** As it was claimed; a text that may be no peer id. */
    peerId: t.text().primaryKey(),
    /** Who claimed it last; null for one that was only named as a winner. */
    account: t.hex(),
    /** Sum of the rewards that it claims. */
    claimedRewards: t.bigint().notNull().default(0n),
    /** Rounds for which it claims rewards. */
    rewardsSubmitted: t.integer().notNull().default(0),
    /** Rounds in which it named winners. */
    roundsVoted: t.integer().notNull().default(0),
    /** How often it was named as a winner, by itself too. */
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
