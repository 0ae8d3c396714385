import { type Ballot, voteCommitment } from '../../node/src/chain/votes/votes.ts'
import type { Hex } from '../../node/src/core/hex.ts'
import { merkleProof } from '../../node/src/core/merkle.ts'
import { componentsHash, type PeerScore, scoreTree } from '../../node/src/core/payloads/scoreSheet.ts'
import { taskHash } from '../../node/src/core/payloads/taskProposal.ts'
import type { Cast } from './play.ts'
import { commitLeaves } from './playChallenges.ts'
import { SALT, type TestChain } from './testChain.ts'
import { digest, type TestPeer } from './testPeers.ts'

/** Scores of the seats for the peer, and for each of its leaves. */
const scores = [600, 610, 620]

interface OpeningsCast extends Pick<Cast, 'proposer' | 'evaluators'> {
  solver: TestPeer
  /** Commits to a secret as the proposer does, and withholds it. */
  rival: TestPeer
}

/**
 * The second round after the current one, of one peer, up to the pay for its openings and its task.
 *
 * @returns the round and the peer.
 */
export async function playOpenings(chain: TestChain, { proposer, evaluators, solver, rival }: OpeningsCast) {
  const { rewardVotes, openings, chainId } = chain.contracts
  const round = (await chain.currentRound()) + 2
  const at = BigInt(round)
  for (const peer of [proposer, rival]) await chain.commitSecret(peer, round)
  await chain.enter(round - 1)
  await chain.propose(proposer, round, 3)
  const task = { peerKey: proposer.peerKey, index: 1 }

  await chain.enter(round)
  const fault = [at, rival.peerKey] as const
  await chain.mined(chain.client.writeContract({ ...openings, functionName: 'challengeSecret', args: fault }))
  const work = await commitLeaves(chain, solver, round, taskHash(task))
  await chain.enter(round + 1)
  const committee = await chain.client.readContract({ ...rewardVotes, functionName: 'committeeOf', args: [at, 0] })
  const scoreSheets = evaluators.map((evaluator, seat) =>
    scoreSheetOf(chainId, round, evaluator, solver, scores[seat] ?? 0),
  )
  const ballots = scoreSheets.map(({ head, scored }): Ballot => {
    const { evaluatorKey } = head
    const place = { round: at, shard: 0, position: committee.indexOf(evaluatorKey), evaluatorKey }
    const roots = [scoreTree(head, scored, work.work.leafCount).root]
    return { ...place, scoresMilli: [scored.scoreMilli], componentRoots: roots, contentId: digest('score sheet') }
  })
  for (const [seat, ballot] of ballots.entries()) {
    const commitment = voteCommitment({ chainId, rewardVotes: rewardVotes.address }, ballot, SALT)
    const args = [at, 0, ballot.position, ballot.evaluatorKey, commitment] as const
    const sender = (evaluators[seat] as TestPeer).account
    await chain.mined(
      chain.client.writeContract({ ...rewardVotes, functionName: 'commitVotes', args, account: sender }),
    )
  }
  await chain.enter(round + 2)
  for (const ballot of ballots)
    await chain.mined(chain.client.writeContract({ ...rewardVotes, functionName: 'revealVotes', args: [ballot, SALT] }))
  await chain.enter(round + 3)
  await chain.settle(round, [solver])

  await chain.enter(round + 4)
  const [leaf] = work.headers
  if (leaf === undefined) throw new Error('no leaf')
  const drawn = { peerKey: solver.peerKey, work: work.work, leaf, leafProof: merkleProof(work.hashes, 0) }
  for (const [seat, ballot] of ballots.entries()) {
    const { head, scored } = scoreSheets[seat] as (typeof scoreSheets)[number]
    const [score] = scored.leaves
    if (score === undefined) throw new Error('no score')
    const shown = {
      scoreMilli: score.scoreMilli,
      componentsHash: componentsHash(score.components),
      componentProof: scoreTree(head, scored, work.work.leafCount).proofOf(0),
    }
    const args = [{ ballot, salt: SALT, ...drawn, ...shown }] as const
    const sender = (evaluators[seat] as TestPeer).account
    await chain.mined(chain.client.writeContract({ ...openings, functionName: 'open', args, account: sender }))
  }
  await chain.enter(round + 5)
  await chain.mined(chain.client.writeContract({ ...openings, functionName: 'close', args: [at, 0] }))
  const claim = { round: at, shard: 0, ...drawn, proposerKey: task.peerKey, taskIndex: task.index }
  await chain.mined(chain.client.writeContract({ ...openings, functionName: 'claimTask', args: [claim] }))
  return { round, solver }
}

/** A score sheet with two scored leaves. */
function scoreSheetOf(chainId: number, round: number, evaluator: TestPeer, solver: TestPeer, scoreMilli: number) {
  const head = { v: 1 as const, chainId, round, evaluatorKey: evaluator.peerKey }
  const leaves = [0, 1].map(index => ({ index, components: {}, scoreMilli }))
  const scored: PeerScore = { peerKey: solver.peerKey, scoreMilli, leaves }
  return { head, scored }
}

/** Claimable and paid amounts of a peer, as the contracts have them. */
export async function readNectarOf(chain: TestChain, peerKey: Hex) {
  const { nectar } = chain.contracts
  const read = (functionName: 'claimable' | 'claimedOf') =>
    chain.client.readContract({ ...nectar, functionName, args: [peerKey] })
  return { claimableWei: String(await read('claimable')), claimedWei: String(await read('claimedOf')) }
}
