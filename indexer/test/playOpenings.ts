import { specifiedSample } from '../../node/src/chain/votes/samples.ts'
import { type Ballot, voteCommitment } from '../../node/src/chain/votes/votes.ts'
import { fromHex, type Hex } from '../../node/src/core/hex.ts'
import { merkleProof } from '../../node/src/core/merkle.ts'
import { componentsHash, type PeerScore, scoreTree } from '../../node/src/core/payloads/scoreSheet.ts'
import { taskHash } from '../../node/src/core/payloads/taskProposal.ts'
import { drawnLeaf } from '../../node/src/roles/draws/drawOpening.ts'
import type { Cast } from './play.ts'
import { commitLeaves } from './playChallenges.ts'
import { SALT, SPECIFICATION, type TestChain } from './testChain.ts'
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
  await describe(chain)
  const index = await drawnIndex(chain, round, solver)
  const leaf = work.headers[index]
  if (leaf === undefined) throw new Error('no leaf')
  const drawn = { peerKey: solver.peerKey, work: work.work, leaf, leafProof: merkleProof(work.hashes, index) }
  for (const [seat, ballot] of ballots.entries()) {
    const { head, scored } = scoreSheets[seat] as (typeof scoreSheets)[number]
    const score = scored.leaves[index]
    if (score === undefined) throw new Error('no score')
    const shown = {
      scoreMilli: score.scoreMilli,
      componentsHash: componentsHash(score.components),
      componentProof: scoreTree(head, scored, work.work.leafCount).proofOf(index),
    }
    const args = [{ ballot, salt: SALT, ...drawn, ...shown }] as const
    const sender = (evaluators[seat] as TestPeer).account
    await chain.mined(chain.client.writeContract({ ...openings, functionName: 'open', args, account: sender }))
  }
  await chain.enter(round + 5)
  await chain.mined(chain.client.writeContract({ ...openings, functionName: 'close', args: [at, 0] }))
  const claim = { round: at, shard: 0, ...drawn, proposerKey: task.peerKey, taskIndex: task.index }
  await chain.mined(chain.client.writeContract({ ...openings, functionName: 'claimTask', args: [claim] }))
  return { round, solver, index }
}

/** The contract has to know how many leaves the environment samples. */
function describe(chain: TestChain) {
  const { specification, owedAt, sampledAt } = specifiedSample(fromHex(SPECIFICATION))
  const call = { ...chain.contracts.openings, functionName: 'describe' } as const
  return chain.mined(chain.client.writeContract({ ...call, args: [specification, owedAt, sampledAt] }))
}

async function drawnIndex({ client, contracts }: TestChain, round: number, { peerKey }: TestPeer): Promise<number> {
  const [, place] = await client.readContract({
    ...contracts.openings,
    functionName: 'drawnOf',
    args: [BigInt(round), 0],
  })
  const args = [BigInt(round), peerKey, 8, 4] as const
  const sampled = await client.readContract({ ...contracts.rolloutCommitments, functionName: 'sampledLeaves', args })
  return drawnLeaf(sampled, place, 8) ?? 0
}

/** A score sheet over all leaves. */
function scoreSheetOf(chainId: number, round: number, evaluator: TestPeer, solver: TestPeer, scoreMilli: number) {
  const head = { v: 1 as const, chainId, round, evaluatorKey: evaluator.peerKey }
  const leaves = Array.from({ length: 8 }, (_, index) => ({ index, components: {}, scoreMilli }))
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
