import type { Patch } from '../compilePatched.ts'
import type { Rules } from './bundles.ts'
import type { Commitment, Play, Setting } from './game.ts'
import { OWED } from './openSwarm.ts'
import { scoreOf, unavailable } from './playVotes.ts'

/** Number of players of each kind. */
export interface Cast {
  readonly honestSeats: number
  readonly ownSeats: number
  readonly rivals: number
  readonly ownKeys: number
  /** Whether the attacker's peers all belong to one account. */
  readonly oneAccount?: boolean
}

export interface VotesAttack {
  readonly name: string
  /** The defence that stops it. */
  readonly defence: string
  /** The defence switched off: in the contracts, in what evaluators check, or both. */
  readonly without: {
    readonly patches?: readonly Patch[]
    readonly setting?: Partial<Setting>
    readonly rules?: Partial<Rules>
  }
  /** Reason why it may earn more than honest play. */
  readonly leftOpen?: string
  readonly cast: Cast
  /** Rounds of work, if the attack needs more than the default. */
  readonly rounds?: number
  readonly attack: Play
  /** The baseline has the same keys, seats and work, and is honest by default. */
  readonly honest: Play
}

const ONE_SEAT: Cast = { honestSeats: 6, ownSeats: 1, rivals: 6, ownKeys: 0 }
const ONE_KEY: Cast = { honestSeats: 5, ownSeats: 0, rivals: 5, ownKeys: 1 }
const TWO_OF_FIVE: Cast = { honestSeats: 3, ownSeats: 2, rivals: 4, ownKeys: 2 }

const copiedVotes: VotesAttack = {
  name: 'copied votes',
  defence: 'a sealed ballot names its evaluator',
  without: {
    patches: [
      {
        file: 'ShardBallots.sol',
        before: 'abi.encode(block.chainid, address(this), ballot, salt)',
        after:
          'abi.encode(block.chainid, address(this), ballot.round, ballot.shard, ballot.scoresMilli, ballot.componentRoots, ballot.contentId, salt)',
      },
      {
        file: 'libraries/Ballots.sol',
        before: 'abi.encode(commitment, evaluatorKey)',
        after: 'abi.encode(commitment)',
      },
      {
        file: 'ScoreOpenings.sol',
        before: 'abi.encode(block.chainid, address(_votes), ballot, salt)',
        after:
          'abi.encode(block.chainid, address(_votes), ballot.round, ballot.shard, ballot.scoresMilli, ballot.componentRoots, ballot.contentId, salt)',
      },
      {
        file: 'ScoreOpenings.sol',
        before: 'opening.ballot.evaluatorKey,\n                opening.peerKey,',
        after: 'bytes32(0),\n                opening.peerKey,',
      },
    ],
    setting: { bindsBallots: false },
  },
  cast: ONE_SEAT,
  attack: { copiesBallots: true },
  honest: {},
}

/** Claims more than its work is worth: nothing checks claims. */
const copiedClaims: VotesAttack = {
  name: 'copied claims',
  defence: 'no score of its own comes with the work',
  without: { setting: { claimsAreTrue: true } },
  cast: ONE_SEAT,
  attack: { vote: ({ peers, claimOf }) => peers.map(claimOf) },
  honest: {},
}

/** Votes a peer's usual score without reading its leaves. */
const lazy: VotesAttack = {
  name: 'lazy evaluator',
  defence: 'pay for opened scores near the median only',
  without: {
    patches: [{ file: 'Earnings.sol', before: 'TOLERANCE_MILLI = 25', after: 'TOLERANCE_MILLI = 1000' }],
  },
  cast: ONE_SEAT,
  attack: {
    vote: ({ peers }) => peers.map(peer => scoreOf(peer, () => peer.abilityMilli)),
  },
  honest: {},
}

const abstention: VotesAttack = {
  name: 'selective abstention',
  defence: '`unavailable` needs most of the votes',
  without: {
    patches: [{ file: 'libraries/Tally.sol', before: '(cast - available) * 2 > cast', after: 'cast != available' }],
  },
  cast: TWO_OF_FIVE,
  attack: {
    vote: ({ peers, score }) => peers.map(peer => (peer.isOwn ? score(peer) : unavailable({ peerKey: peer.peer.key }))),
  },
  honest: {},
}

const MEAN = `uint256 sum = 0;
            for (uint256 seat = 0; seat < SEATS; ++seat) if (lanes[seat] != UNAVAILABLE && lanes[seat] != 0) sum += lanes[seat] - 1;
            return (OUTCOME_SCORED, uint16(sum / available), cast);`

const noMedian: VotesAttack['without'] = {
  patches: [
    {
      file: 'libraries/Tally.sol',
      before: 'return (OUTCOME_SCORED, uint16(_ofSorted(lanes, (available - 1) / 2) - 1), cast);',
      after: MEAN,
    },
  ],
}

const collusion: VotesAttack = {
  name: 'colluding minority',
  defence: 'the median',
  without: noMedian,
  cast: TWO_OF_FIVE,
  attack: {
    vote: ({ peers, score }) => peers.map(peer => ({ ...score(peer), scoreMilli: peer.isOwn ? 1_000 : 0 })),
  },
  honest: {},
}

/** Votes that stay inside the tolerance, over true scores of leaves. */
const quietCollusion = (name: string, movedMilli: number): VotesAttack => ({
  ...collusion,
  name,
  defence: 'pay that falls with the distance',
  without: {
    patches: [
      {
        file: 'ScoreOpenings.sol',
        before: '(fullWei * (_toleranceMilli + 1 - apartMilli))',
        after: '(fullWei * (_toleranceMilli + 1))',
      },
    ],
  },
  attack: {
    vote: ({ peers, score }) =>
      peers.map(peer => {
        const scored = score(peer)
        const moved = scored.scoreMilli + (peer.isOwn ? movedMilli : -movedMilli)
        return { ...scored, scoreMilli: Math.min(1_000, Math.max(0, moved)) }
      }),
  },
})

const half = OWED / 2

const sybilPeers: VotesAttack = {
  name: 'sybil peers',
  defence: 'leaves are drawn from those owed',
  without: { rules: { drawsFrom: 'committed' } },
  cast: { ...ONE_KEY, ownKeys: 2 },
  attack: { work: ({ make }) => ({ bundle: make(half), answers: half }) },
  honest: { work: ({ at, make }) => (at === 0 ? { bundle: make(OWED), answers: OWED } : null) },
}

/** Three of five seats, in the account of the peer that they score. */
const sybilSeats: VotesAttack = {
  name: 'seats for oneself',
  defence: 'votes on peers of one’s own account are left out',
  without: {
    patches: [{ file: 'RewardVotes.sol', before: 'accounts[position] != account', after: 'true' }],
  },
  cast: { honestSeats: 2, ownSeats: 3, rivals: 5, ownKeys: 1, oneAccount: true },
  attack: {
    vote: ({ peers, score }) => peers.map(peer => (peer.isOwn ? { ...score(peer), scoreMilli: 1_000 } : score(peer))),
  },
  honest: {},
}

const TRIES = 2

const seedGrinding: VotesAttack = {
  name: 'seed grinding',
  defence: 'seeds follow from the last beacon, and a false one is shown to the chain',
  without: {
    patches: [
      {
        file: 'challenges/FalseLeaves.sol',
        before: 'return leaf.seed != Draws.seedOf("waggle rollout", round, beacon, peerKey);',
        after: 'return false;',
      },
    ],
    rules: { checksSeeds: false },
  },
  cast: ONE_KEY,
  attack: { work: ({ make }) => ({ bundle: make(OWED, TRIES), answers: TRIES * OWED }) },
  honest: {},
}

const copiedRoots: VotesAttack = {
  name: 'copied roots',
  defence: 'a leaf binds its peer',
  without: {
    patches: [
      {
        file: 'RolloutCommitments.sol',
        before: 'round,\n                peerKey,\n                leaf.index,',
        after: 'round,\n                bytes32(0),\n                leaf.index,',
      },
    ],
    setting: { bindsLeaves: false },
    rules: { checksSeeds: false },
  },
  cast: ONE_KEY,
  attack: {
    work: ({ seen }) => {
      const { bundle } = seen[0] as Commitment
      return { bundle, answers: 0 }
    },
  },
  honest: {},
}

const selectiveServing: VotesAttack = {
  name: 'selective serving',
  defence: 'pay that is the same whoever else is paid',
  without: {
    patches: [
      {
        file: 'ScoreOpenings.sol',
        before: 'uint256 fullWei = _partOf(OPENING_EMISSION_WEI, round, shard) / SEATS;',
        after: `uint256 count = 0;
        for (uint256 position = 0; position < SEATS; ++position) if (lanes[position] != 0) ++count;
        uint256 fullWei = _partOf(OPENING_EMISSION_WEI, round, shard) / (count == 0 ? 1 : count);`,
      },
    ],
  },
  leftOpen: 'the fewer vote, the nearer the median is to the own vote: within the noise between the honest',
  cast: { honestSeats: 4, ownSeats: 1, rivals: 5, ownKeys: 1 },
  attack: { work: ({ make }) => ({ bundle: make(OWED), answers: OWED, servedTo: seat => seat < 2 }) },
  honest: {},
}

/** The weight of a round follows from those before: scores have full weight from the seventh on. */
const LONG = 12

const drivenAway: VotesAttack = {
  name: 'rivals driven away',
  defence: 'a round that weighs less than those before emits less',
  without: {
    patches: [
      {
        file: 'Earnings.sol',
        before: 'if (total < totals.meanWeight) total = totals.meanWeight;',
        after: '',
      },
    ],
  },
  cast: ONE_KEY,
  rounds: LONG,
  attack: { drivesAway: round => round === LONG - 1 },
  honest: {},
}

export const votesAttacks: readonly VotesAttack[] = [
  copiedVotes,
  copiedClaims,
  lazy,
  abstention,
  collusion,
  quietCollusion('quiet collusion', 10),
  { ...quietCollusion('shaving', 2), leftOpen: 'less than the noise between the honest cannot be told from it' },
  sybilPeers,
  sybilSeats,
  seedGrinding,
  copiedRoots,
  selectiveServing,
  drivenAway,
]
