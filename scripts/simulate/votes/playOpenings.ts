import { merkleProof } from '../../../node/src/core/merkle.ts'
import { componentsHash, scoreTree } from '../../../node/src/core/payloads/scoreSheet.ts'
import { drawnLeaf } from '../../../node/src/roles/draws/drawOpening.ts'
import type { Commitment, Game, Sealed } from './game.ts'
import { OWED, POLICY, SAMPLED, type Swarm } from './openSwarm.ts'
import { scoreSheetOf } from './playVotes.ts'

/** Opens the score of the drawn leaf for every seat that has one; the chain refuses openings that cannot be paid. */
export async function openAll(game: Game, round: number): Promise<void> {
  const sealed = game.sealed.get(round) ?? []
  if (sealed.length === 0) return
  const { openings, votes } = game.swarm
  const [, scoredPeers] = await votes.read.totalsOf([BigInt(round)])
  if (scoredPeers === 0n) return
  const [ordinal, place] = await openings.read.drawnOf([BigInt(round), 0])
  const drawn = game.committed.get(round)?.[ordinal]
  if (drawn !== undefined) for (const seat of sealed) await open(game, round, seat, drawn, { ordinal, place })
}

/** Pays the seats that agree. */
export function closeShard({ openings, send, admin }: Swarm, round: number): Promise<unknown> {
  return send(admin, openings.address, { abi: openings.abi, functionName: 'close', args: [BigInt(round), 0] })
}

async function open(
  game: Game,
  round: number,
  { voter, ballot, salt, scores }: Sealed,
  { peer, bundle }: Commitment,
  { ordinal, place }: { ordinal: number; place: bigint },
): Promise<void> {
  const { commitments, openings, send } = game.swarm
  const sampled = await commitments.read.sampledLeaves([BigInt(round), peer.key, OWED, SAMPLED])
  const index = drawnLeaf(sampled, place, bundle.leaves.length)
  const score = scores[ordinal]
  const opened = score?.leaves.find(one => one.index === index)
  const leaf = bundle.leaves[index ?? bundle.leaves.length]
  if (score === undefined || opened === undefined || leaf === undefined) return
  const tree = scoreTree(scoreSheetOf(game, round, ballot.evaluatorKey), score, bundle.leaves.length)
  const opening = {
    ballot,
    salt,
    peerKey: peer.key,
    work: { root: bundle.root, leafCount: bundle.leaves.length, policyHash: POLICY, contentId: POLICY },
    leaf,
    leafProof: merkleProof(bundle.hashes, opened.index),
    scoreMilli: opened.scoreMilli,
    componentsHash: componentsHash(opened.components),
    componentProof: tree.proofOf(opened.index),
  }
  const call = send(voter.account, openings.address, { abi: openings.abi, functionName: 'open', args: [opening] })
  await call.catch(() => {})
}
