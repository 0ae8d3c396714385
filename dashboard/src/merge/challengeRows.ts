import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { appealText } from './appeals/appealText.ts'
import { formatNectar } from './format.ts'
import { type NamedPeer, named } from './voteTable.ts'

type Challenges = Pick<RoundAnswer, 'withheldSecrets' | 'leafDemands' | 'appealCases'>

/** A challenge against a peer's round or its tasks, in words that follow the peer's name. */
interface ChallengeRow {
  key: string
  peer: NamedPeer
  text: string
}

const demandEnds = {
  open: 'and is due',
  shown: 'and shown',
  withheld: 'withheld, and the round is lost',
} as const

/** The outcome of a leaf that was demanded. */
export function demandText({
  index,
  state,
}: Pick<RoundAnswer['leafDemands']['items'][number], 'index' | 'state'>): string {
  return `Leaf ${index} was demanded on the chain, ${demandEnds[state]}`
}

/** Secrets that proposers withheld, leaves that were demanded, and scores that were appealed. */
export function challengeRows({ withheldSecrets, leafDemands, appealCases }: Challenges): ChallengeRow[] {
  const faults = withheldSecrets.items.map(({ peerKey, lostWei, peer }) => ({
    key: `secret ${peerKey}`,
    peer: named(peerKey, peer),
    text: `withheld its secret, and proposed nothing${lostWei === '0' ? '' : `: ${formatNectar(lostWei)} Nectar of its stake are burnt`}`,
  }))
  const demands = leafDemands.items.map(({ peerKey, peer, ...leaf }) => ({
    key: `leaf ${peerKey} ${leaf.index}`,
    peer: named(peerKey, peer),
    text: demandText(leaf),
  }))
  const appeals = appealCases.items.map(({ peerKey, peer, ...found }) => ({
    key: `appeal ${peerKey}`,
    peer: named(peerKey, peer),
    text: appealText(found),
  }))
  return [...faults, ...demands, ...appeals]
}

/** Number of a round's challenges that `challengeRows` leaves out: an answer of the index has the first of each kind. */
export function challengesLeftOut({ withheldSecrets, leafDemands, appealCases }: Challenges): number {
  return [withheldSecrets, leafDemands, appealCases].reduce(
    (sum, { totalCount, items }) => sum + totalCount - items.length,
    0,
  )
}
