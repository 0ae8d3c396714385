import { type Hex, sha256 } from 'viem'
import { foundry } from 'viem/chains'
import { appealCommitment } from '../../node/src/chain/challenges/appealCommitment.ts'
import { merkleProof, merkleRoot } from '../../node/src/core/merkle.ts'
import { leafHash } from '../../node/src/core/payloads/leaf.ts'
import { SALT, SPECIFICATION, type TestChain } from './testChain.ts'
import { digest, type TestPeer } from './testPeers.ts'

const BODY: Hex = '0xb0d1'

/** Commitments of a peer in a round, leaf by leaf. */
interface CommittedLeaves {
  peer: TestPeer
  round: number
  work: { root: Hex; leafCount: number; policyHash: Hex; contentId: Hex }
  headers: { index: number; taskHash: Hex; policyHash: Hex; seed: Hex; bodyHash: Hex }[]
  hashes: Hex[]
}

/** Commits to eight leaves of this round, all of one task and with a seed of the peer's own choice. */
export async function commitLeaves(
  chain: TestChain,
  peer: TestPeer,
  round: number,
  taskHash = digest('task'),
): Promise<CommittedLeaves> {
  const contract = chain.contracts.rolloutCommitments
  const leaf = {
    taskHash,
    policyHash: digest('policy'),
    seed: digest('own seed'),
    bodyHash: sha256(BODY),
  }
  const place = { chainId: foundry.id, round, peerKey: peer.peerKey }
  const headers = Array.from({ length: 8 }, (_, index) => ({ index, ...leaf }))
  const hashes = headers.map(header => leafHash({ ...place, ...header }))
  const work = { root: merkleRoot(hashes), leafCount: 8, policyHash: leaf.policyHash, contentId: digest('bundle') }
  const args = [BigInt(round), peer.peerKey, work.root, 8, work.policyHash, work.contentId, work.policyHash] as const
  await chain.mined(chain.client.writeContract({ ...contract, account: peer.account, functionName: 'commit', args }))
  return { peer, round, work, headers, hashes }
}

/** Shows one of them to be false. */
export async function challengeLeaf(
  chain: TestChain,
  { peer, round, work, headers, hashes }: CommittedLeaves,
): Promise<void> {
  const [leaf] = headers
  if (leaf === undefined) throw new Error('no leaf')
  const args = [BigInt(round), peer.peerKey, work, leaf, merkleProof(hashes, 0)] as const
  await chain.mined(chain.client.writeContract({ ...chain.contracts.challenges, functionName: 'challengeLeaf', args }))
}

/** Demands the leaf at a place of the draw. @returns its index. */
export async function demandLeaf(
  chain: TestChain,
  { peer, round, work }: CommittedLeaves,
  place: number,
): Promise<number> {
  const sample = { specification: SPECIFICATION, owedAt: 1n, sampledAt: 13n, place }
  const args = [BigInt(round), peer.peerKey, work, sample] as const
  const call = { ...chain.contracts.challenges, functionName: 'demandLeaf', args, value: 10n ** 17n } as const
  const { request, result } = await chain.client.simulateContract({ ...call, account: chain.client.account })
  await chain.mined(chain.client.writeContract(request))
  return result
}

export async function showLeaf(
  chain: TestChain,
  { peer, round, work, headers, hashes }: CommittedLeaves,
  index: number,
): Promise<void> {
  const leaf = headers[index]
  if (leaf === undefined) throw new Error(`no leaf ${index}`)
  const args = [BigInt(round), peer.peerKey, work, leaf, merkleProof(hashes, index), BODY] as const
  // The pay follows the price of gas, which an estimate does not know.
  const call = { ...chain.contracts.challenges, functionName: 'showLeaf', args, account: peer.account } as const
  await chain.mined(chain.client.writeContract({ ...call, gas: 1_000_000n }))
}

export async function closeDemand(chain: TestChain, { peer, round }: CommittedLeaves, index: number): Promise<void> {
  const args = [BigInt(round), peer.peerKey, index] as const
  // As many as there are at least to answer in.
  await chain.client.mine({ blocks: 16 })
  await chain.mined(chain.client.writeContract({ ...chain.contracts.challenges, functionName: 'closeDemand', args }))
}

/** Appeals a settled score, from the administrator's account. */
export async function appeal(chain: TestChain, peer: TestPeer, round: number): Promise<void> {
  const call = { ...chain.contracts.challenges, functionName: 'appeal', args: [BigInt(round), peer.peerKey] } as const
  await chain.mined(chain.client.writeContract({ ...call, value: 10n ** 16n }))
}

/** Commits to a seat's verdict on an appeal. @returns what reveals it. */
export async function commitVerdict(
  chain: TestChain,
  seat: TestPeer,
  peer: TestPeer,
  round: number,
  scoreMilli: number,
): Promise<() => Promise<void>> {
  const place = [BigInt(round), peer.peerKey] as const
  const jury = await chain.client.readContract({ ...chain.contracts.challenges, functionName: 'juryOf', args: place })
  const position = jury.indexOf(seat.peerKey)
  const key = { peerKey: peer.peerKey, round, level: 1, position, seatKey: seat.peerKey }
  const challenges = chain.contracts.challenges.address
  const commitment = appealCommitment({ chainId: foundry.id, challenges }, key, scoreMilli, SALT)
  const args = [...place, position, seat.peerKey, commitment] as const
  const { account } = seat
  await chain.mined(
    chain.client.writeContract({ ...chain.contracts.challenges, functionName: 'commitVerdict', args, account }),
  )
  const opening = [...place, position, scoreMilli, SALT] as const
  return () =>
    chain.mined(
      chain.client.writeContract({ ...chain.contracts.challenges, functionName: 'revealVerdict', args: opening }),
    )
}

/** Pays an account what challenges owe it. */
export async function withdraw(chain: TestChain, account: Hex): Promise<void> {
  const call = { ...chain.contracts.challenges, functionName: 'withdraw', args: [account] } as const
  await chain.mined(chain.client.writeContract(call))
}

export async function closeAppeal(chain: TestChain, peer: TestPeer, round: number): Promise<void> {
  const args = [BigInt(round), peer.peerKey] as const
  await chain.mined(chain.client.writeContract({ ...chain.contracts.challenges, functionName: 'closeAppeal', args }))
  const judged = [...args, 1, [0, 1, 2]] as const
  await chain.mined(
    chain.client.writeContract({ ...chain.contracts.challenges, functionName: 'judgeSeats', args: judged }),
  )
}
