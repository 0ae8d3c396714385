import { UNAVAILABLE } from '../../../deployments/protocol.ts'
import { randomStream } from '../../../node/model/src/base/random.ts'
import type { TxOutcome } from '../../../node/src/chain/outbox/outbox.ts'
import type { Ballot } from '../../../node/src/chain/votes/votes.ts'
import { ZERO_HASH } from '../../../node/src/core/hex.ts'
import { proofIn } from '../../../node/src/core/merkle.ts'
import { type OpenedPayload, type RolloutBundle, rolloutLeaf } from '../../../node/src/core/payloads/payloads.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import type { Conduct, Hostile } from './simulatedPeer.ts'

type Chain = PeerNode['chain']
type Own = Omit<Ballot, 'evaluatorKey'>
type Opened = OpenedPayload<RolloutBundle>

/** A seat that calls the chain otherwise. */
const calling = (change: (chain: Chain, node: PeerNode) => Partial<Chain>): Conduct => ({
  bend: node => ({ ...node, chain: { ...node.chain, ...change(node.chain, node) } }),
})

/** A seat whose votes, sealed and opened, are others. */
const voting = (lie: (ballot: Own, place: number) => number): Conduct =>
  calling(({ commitVotes, revealVotes }) => {
    const liedOf = (ballot: Own): Own => ({
      ...ballot,
      scoresMilli: ballot.scoresMilli.map((_, place) => lie(ballot, place)),
    })
    return { commitVotes: ballot => commitVotes(liedOf(ballot)), revealVotes: ballot => revealVotes(liedOf(ballot)) }
  })

const unsent = async (): Promise<TxOutcome> => ({ status: 'dropped', reason: 'not sent' })

const drawn = ({ round, shard, position }: Own, place: number) =>
  randomStream('lies of a seat', `${round} ${shard} ${position} ${place}`).integer(1001)

/**
 * Evaluators with a seat that lie, are silent or accuse. Those with the same kind collude: they give everybody 0.
 *
 * Appeals are not simulated, so that what a hostile majority of a committee settles stays: `simulate -- attacks` and `simulate -- protocol`
 * play appeals, groundless ones too, on the contracts.
 */
export const hostileSeats: Record<string, Hostile> = {
  'random votes': () => voting(drawn),
  'colluding votes': () => voting(() => 0),
  'votes that all is missing': () => voting(() => UNAVAILABLE),
  'no votes': () => calling(() => ({ commitVotes: unsent, revealVotes: unsent })),
  'votes never opened': () => calling(() => ({ revealVotes: unsent })),
  'other votes opened': () =>
    calling(({ revealVotes }) => ({
      revealVotes: ballot => revealVotes({ ...ballot, scoresMilli: ballot.scoresMilli.map(() => 0) }),
    })),
  'settlement in the wrong shard': () =>
    calling(({ settle }) => ({ settle: page => settle({ ...page, shard: page.shard + 1 }) })),
  'groundless accusations': () => ({ bend: accusing }),
}

/** Shows the chain a leaf of each peer that it reads, as false: a true one of one half, one that was not committed of the other. */
function accusing(node: PeerNode): PeerNode {
  async function accuse({ payload, tree }: Opened): Promise<void> {
    const committed = await node.chain.readRolloutCommitments(payload.round)
    const commitment = committed.find(({ peerKey }) => peerKey === payload.peerKey)
    const header = rolloutLeaf(payload, 0)?.header
    if (commitment === undefined || header === undefined) return
    const shown = commitment.ordinal % 2 === 0 ? header : { ...header, seed: ZERO_HASH }
    await node.chain.challengeLeaf({ header: shown, commitment, proof: proofIn(tree, 0) })
  }
  const open = (async (kind, bytes) => {
    const opened = await node.payloads.open(kind, bytes)
    if (kind === 'rollouts' && opened !== null)
      accuse(opened as Opened).catch(error => {
        if (!node.signal.aborted) throw error
      })
    return opened
  }) as PeerNode['payloads']['open']
  return { ...node, payloads: { ...node.payloads, open } }
}
