/** A relation that Ponder has no word for: of a view, or by a key that names several rows. */
export interface Link {
  /** The field of `Query` that answers: one row by its whole key, or a list. */
  to: string
  /** Its columns, by the columns of the row here. */
  by: Readonly<Record<string, string>>
  /** The list holds this row alone: a row of a view with the same key. */
  isOne?: true
}

const peer: Link = { to: 'peer', by: { peerKey: 'peerKey' } }
const inRound: Link = { to: 'round', by: { number: 'round' } }
const settlement: Link = { to: 'settlement', by: { round: 'round', peerKey: 'peerKey' } }
const rolloutCommitment: Link = { ...settlement, to: 'rolloutCommitment' }
/** An account may have several peers. */
const peers: Link = { to: 'peers', by: { account: 'account' } }

/** By table or view, and the name of the field. */
export const LINKS: Readonly<Record<string, Readonly<Record<string, Link>>>> = {
  peer: {
    purse: { to: 'purses', by: { peerKey: 'peerKey' }, isOne: true },
    standing: { to: 'peerStandings', by: { peerKey: 'peerKey' }, isOne: true },
    earnings: { to: 'earnings', by: { peerKey: 'peerKey' } },
    scoreStates: { to: 'scoreStates', by: { peerKey: 'peerKey' } },
    credits: { to: 'credits', by: { account: 'account' } },
    compensations: { to: 'compensations', by: { account: 'account' } },
    gamesJudged: { to: 'games', by: { judge: 'account' } },
    bets: { to: 'gameBets', by: { account: 'account' } },
    holdings: { to: 'gameHoldings', by: { account: 'account' } },
    payouts: { to: 'gamePayouts', by: { account: 'account' } },
  },
  round: {
    peers: { to: 'roundPeers', by: { round: 'number' } },
    votes: { to: 'votes', by: { round: 'number' } },
    earnings: { to: 'earnings', by: { round: 'number' } },
  },
  voteCommit: { votes: { to: 'votes', by: { round: 'round', shard: 'shard', evaluatorKey: 'evaluatorKey' } } },
  rolloutCommitment: { votes: { to: 'votes', by: { round: 'round', peerKey: 'peerKey' } } },
  vote: {
    peer,
    inRound,
    evaluator: { to: 'evaluator', by: { peerKey: 'evaluatorKey' } },
    voteCommit: { to: 'voteCommit', by: { round: 'round', evaluatorKey: 'evaluatorKey', shard: 'shard' } },
  },
  purse: { peer },
  earning: { peer, inRound },
  standing: { peer },
  peerStanding: { peer },
  scoreState: { peer, inRound, settlement },
  roundPeer: { peer, inRound, settlement, rolloutCommitment },
  peerCredit: { peer },
  peerCompensation: { peer },
  credit: { peers },
  claimedPeer: { peers },
  game: { judgePeers: { to: 'peers', by: { account: 'judge' } } },
  gameBet: { peers },
  gameHolding: { peers },
  gamePayout: { peers },
}

/** Fields that read a view once for each row. */
export const SINGLE_READS: ReadonlySet<string> = new Set(
  Object.values(LINKS).flatMap(links => Object.keys(links).filter(name => links[name]?.isOne)),
)
