import { concatHex, type Hex, keccak256, toHex } from 'viem'
import type { Ballot } from '../../../../node/src/chain/votes/votes.ts'
import { merkleProof, merkleRoot } from '../../../../node/src/core/merkle.ts'
import { leafHash } from '../../../../node/src/core/payloads/leaf.ts'
import { scoreTree } from '../../../../node/src/core/payloads/scoreSheet.ts'
import { taskHash } from '../../../../node/src/core/payloads/taskProposal.ts'
import { POLICY } from '../../votes/openSwarm.ts'
import type { Member } from '../cast.ts'
import type { Leaf, Sealed, Work } from './ledger.ts'

export type WorkProofs = ReturnType<typeof workProofs>

type Scored = Sealed['scores'][number]

/**
 * Roots, proofs and ballots of a game's work, as the contracts check them.
 *
 * @param countOf - the leaves that a peer committed in a round.
 */
export function workProofs(chainId: number, countOf: (round: number, peerKey: Hex) => number) {
  const treeOf = ({ round, seat }: Sealed, score: Scored) =>
    scoreTree({ v: 1, chainId, round, evaluatorKey: seat.key }, score, countOf(round, score.peerKey))

  function committed({ round, peer, leaves }: Work) {
    const hashes = leaves.map(leaf => leafHash({ chainId, round, peerKey: peer.key, ...headerOf(leaf) }))
    return { root: merkleRoot(hashes), leafCount: leaves.length, hashes }
  }
  return {
    committed,
    /** The arguments that prove a leaf. */
    shown(work: Work, index: number): readonly unknown[] {
      const { root, leafCount, hashes } = committed(work)
      const commitment = { root, leafCount, policyHash: POLICY, contentId: POLICY }
      const leaf = headerOf(work.leaves[index] as Leaf)
      return [BigInt(work.round), work.peer.key, commitment, leaf, merkleProof(hashes, index)]
    },
    ballot(sealed: Sealed): Ballot {
      const { round, shard, position, seat, scores } = sealed
      return {
        ...{ round: BigInt(round), shard, position, evaluatorKey: seat.key },
        scoresMilli: scores.map(({ scoreMilli }) => scoreMilli),
        componentRoots: scores.map(peer => treeOf(sealed, peer).root),
        contentId: POLICY,
      }
    },
    /** Proof that a scored leaf is among the scores of a ballot. */
    components: (sealed: Sealed, score: Scored, leaf: Scored['leaves'][number]): Hex[] =>
      treeOf(sealed, score).proofOf(leaf.index),
  }
}

export function headerOf({ index, task, seed, bodyHash }: Leaf) {
  return { index, taskHash: taskHash(task), policyHash: POLICY, seed, bodyHash }
}

/** As the contract hashes it: `keccak256(abi.encode(secret))` of 32 bytes is that of the bytes. */
export function secretOf(round: number, { key }: Member): Hex {
  return keccak256(concatHex([key, toHex(round)]))
}
