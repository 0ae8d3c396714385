import type { PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import { ChainUnreachableError } from '../chainErrors.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { BATCH_BYTES } from './readPeers.ts'

/** Points of a peer so far, in thousandths; those of rounds that are not final may still be revoked. */
export async function readPoints(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  peerKey: PeerKey,
  blockNumber?: bigint,
): Promise<number> {
  const call = { ...rewardVotes, functionName: 'points', args: [peerKey], blockNumber } as const
  return Number(await callChain(rpcUrl, () => rpc.readContract(call)))
}

/** Questions at a time: 32 calls, since an endpoint may refuse more. */
const AT_ONCE = 32 * 128

/** Points of peers as of a block, in thousandths, in their order: one call for each 128. */
export async function readPointsOf(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  peerKeys: readonly PeerKey[],
  blockNumber: bigint,
): Promise<number[]> {
  return inPages(peerKeys, page => {
    const contracts = page.map(peerKey => ({ ...rewardVotes, functionName: 'points', args: [peerKey] }) as const)
    return callChain(rpcUrl, () => rpc.multicall({ contracts, ...MANY, blockNumber }))
  })
}

/** Most rounds that a chain can have had: 80 years of ten minutes each. */
const MAX_ROUNDS = 2 ** 22

/**
 * Points of all peers for each round that has begun as of a block, in thousandths, from round 0 on: one call for each 128.
 *
 * @throws {ChainUnreachableError} if the number of rounds is absurd: reading them might not end.
 */
export async function readTotals(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes, rounds }: Contracts,
  blockNumber: bigint,
): Promise<number[]> {
  const open = { ...rounds, functionName: 'firstOpenRound', blockNumber } as const
  const begun = Number(await callChain(rpcUrl, () => rpc.readContract(open)))
  if (begun > MAX_ROUNDS)
    throw new ChainUnreachableError(`The chain at ${rpcUrl} gave no valid answer (${begun} rounds).`, {
      hint: 'It is faulty: name another endpoint with --rpc.',
      retryable: true,
    })
  return inPages([...Array(begun).keys()], async page => {
    const contracts = page.map(round => ({ ...rewardVotes, functionName: 'totalsOf', args: [BigInt(round)] }) as const)
    const totals = await callChain(rpcUrl, () => rpc.multicall({ contracts, ...MANY, blockNumber }))
    return totals.map(([points]) => points)
  })
}

/** Deployless: a local chain has no Multicall3. */
const MANY = { deployless: true, allowFailure: false, batchSize: BATCH_BYTES } as const

async function inPages<T>(asked: readonly T[], read: (page: T[]) => Promise<bigint[]>): Promise<number[]> {
  const answers: bigint[] = []
  for (let at = 0; at < asked.length; at += AT_ONCE) answers.push(...(await read(asked.slice(at, at + AT_ONCE))))
  return answers.map(Number)
}

/** Whether a peer's score of a round is settled already. */
export async function isSettled(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  round: number,
  peerKey: PeerKey,
): Promise<boolean> {
  const args = [BigInt(round), peerKey] as const
  const [outcome] = await callChain(rpcUrl, () => rpc.readContract({ ...rewardVotes, functionName: 'outcomeOf', args }))
  return outcome !== 0
}

/** Misses of an evaluator since its last reveal. */
export function readMisses(
  { rpc, rpcUrl }: ChainClient,
  { rewardVotes }: Contracts,
  peerKey: PeerKey,
): Promise<number> {
  return callChain(rpcUrl, () => rpc.readContract({ ...rewardVotes, functionName: 'missesOf', args: [peerKey] }))
}
