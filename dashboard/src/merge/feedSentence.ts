import { formatNectar, formatPoints, shorten } from './format.ts'

/** An event as the indexer keeps it; `detail` holds the event's own arguments. */
interface FeedEvent {
  kind: string
  round: number | null
  detail: Record<string, string | number | null>
}

type Words = (event: FeedEvent) => string

function count(value: string | number | null | undefined, one: string): string {
  return value === null || value === undefined ? `${one}s` : `${value} ${Number(value) === 1 ? one : `${one}s`}`
}

const sentences: Record<string, Words> = {
  peerRegistered: () => 'joined the swarm',
  peerMoved: () => 'moved to another account',
  bootnodesSet: () => 'New bootnodes were set',
  scheduleSet: () => 'A new schedule was set',
  environmentSet: () => 'A new environment was set',
  beaconDrawn: ({ round }) => `The beacon of round ${round} was drawn`,
  evaluatorAdmitted: () => 'took an evaluator’s seat',
  evaluatorRemoved: () => 'left its evaluator’s seat',
  tasksProposed: ({ detail }) => `proposed ${count(detail.count, 'task')}`,
  secretWithheld: ({ round }) => `proposed nothing for round ${round}, and withheld its secret`,
  rolloutsCommitted: ({ detail }) => `committed ${count(detail.leafCount, 'rollout')}`,
  votesCommitted: () => 'sealed its votes',
  votesRevealed: ({ detail }) => `opened its votes on ${count(detail.votes, 'peer')}`,
  leafFalse: ({ round }) => `lost round ${round}: one of its leaves was false`,
  leafDemanded: ({ round, detail }) => `is asked to show leaf ${detail.index} of round ${round}`,
  leafShown: ({ round, detail }) => `had leaf ${detail.index} of round ${round} shown on the chain`,
  leafWithheld: ({ round }) => `lost round ${round}: one of its leaves was withheld`,
  appealOpened: ({ round }) => `has its score of round ${round} appealed`,
  appealClosed: ({ round, detail }) =>
    detail.scoreMilli === detail.settledMilli
      ? `keeps its score of round ${round} after an appeal`
      : `has ${formatPoints(Number(detail.scoreMilli ?? 0))} points for round ${round} after an appeal`,
  appealMoot: ({ round }) =>
    `has no points for round ${round}, which was appealed: the round was lost for another reason`,
  openingsPaid: ({ round, detail }) =>
    `Openings of round ${round} earned ${formatNectar(detail.amountWei)} Nectar for ${count(detail.paid, 'seat')}`,
  taskPaid: ({ round, detail }) => `earned ${formatNectar(detail.amountWei)} Nectar by a task of round ${round}`,
  nectarClaimed: ({ detail }) => `claimed ${formatNectar(detail.amountWei)} Nectar`,
  staked: ({ detail }) => `staked ${formatNectar(detail.addedWei)} Nectar as ${detail.duty}`,
  unstaking: ({ detail }) => `unstaked as ${detail.duty}`,
  compensated: ({ detail }) => `paid ${formatNectar(detail.amountWei)} Nectar of its stake to the appellant`,
  stakeWithdrawn: ({ detail }) => `took back ${formatNectar(detail.amountWei)} Nectar`,
  slashed: ({ detail }) => `lost ${formatNectar(detail.lostWei)} Nectar of its stake as ${detail.duty}`,
  gameOpened: ({ detail }) => `Game ${detail.gameId} of the market was opened`,
  betPlaced: ({ detail }) =>
    detail.bets
      ? `${count(detail.accounts, 'account')} placed ${detail.bets} bets of ${formatNectar(detail.stakeWei)} Nectar in game ${detail.gameId}`
      : `${shorten(String(detail.account))} bet ${formatNectar(detail.stakeWei)} Nectar in game ${detail.gameId}`,
  clueProven: ({ detail }) => `Clue ${detail.number} of game ${detail.gameId} was proven`,
  gameAnswered: ({ detail }) => `Game ${detail.gameId} was answered`,
  gameDisputed: ({ detail }) => `The answer to game ${detail.gameId} is disputed`,
  gameResolved: ({ detail }) => `Game ${detail.gameId} ended`,
  gameVoided: ({ detail }) => `Game ${detail.gameId} is void: stakes go back`,
  winningsTaken: ({ detail }) =>
    `${shorten(String(detail.account))} took ${formatNectar(detail.payoutWei)} Nectar from game ${detail.gameId}`,
  settled: ({ detail }) => {
    if (detail.outcome === 'noQuorum') return 'got no points: no quorum'
    if (detail.outcome === 'void') return 'got no points: the round is void'
    if (detail.outcome === 'unavailable') return 'got no points: its rollouts were unavailable'
    return `earned ${formatPoints(Number(detail.scoreMilli ?? 0))} points`
  },
}

/** Describes an event, to follow the peer's name if there is one. An unknown event is shown by its own name. */
export function feedSentence(event: FeedEvent): string {
  return sentences[event.kind]?.(event) ?? event.kind
}
