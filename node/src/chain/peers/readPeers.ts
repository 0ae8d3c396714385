import { zeroAddress } from 'viem'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient, FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { eventRanges, RARE_RANGE_BLOCKS } from '../eventRanges.ts'
import { revertedWith } from '../revertedWith.ts'

/** A registration from the chain's events, in a block; the account may have changed since. */
export type RegisteredPeer = { peerKey: PeerKey; peerId: string; countsFrom: number; block: number }

/**
 * All peers that ever registered, in the order of the chain, from the events since the deployment.
 *
 * @param through - the last block that is read: the newest if it is not given.
 */
export async function readPeers(
  chain: FollowedChain,
  { peerRegistry, startBlock }: Contracts,
  through?: number,
): Promise<RegisteredPeer[]> {
  const peers: RegisteredPeer[] = []
  const number = through ?? (await chain.heads.read()).number
  const since = { first: BigInt(startBlock), last: BigInt(number), most: RARE_RANGE_BLOCKS }
  const event = { ...peerRegistry, eventName: 'PeerRegistered', strict: true } as const
  for await (const { events } of eventRanges(chain, since, range =>
    chain.rpc.getContractEvents({ ...event, ...range }),
  ))
    for (const { args, blockNumber } of events) {
      const { peerKey, peerId, fromRound } = args
      peers.push({ peerKey, peerId, countsFrom: Number(fromRound), block: Number(blockNumber) })
    }
  return peers
}

/** The account that speaks for a peer; null if the peer is not registered. */
export async function readAccountOf(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKey: PeerKey,
): Promise<AccountAddress | null> {
  const account = await callChain(rpcUrl, () =>
    rpc.readContract({ ...peerRegistry, functionName: 'accountOf', args: [peerKey] }),
  )
  return account === zeroAddress ? null : account
}

/** First round that a peer's key counts in; null if the peer is not registered. */
export async function readCountsFrom(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKey: PeerKey,
): Promise<number | null> {
  const [account, fromRound] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...peerRegistry, functionName: 'membershipOf', args: [peerKey] }),
  )
  return account === zeroAddress ? null : Number(fromRound)
}

/**
 * Bytes of calls in one batch. Each call of 36 bytes takes 224 in the end: the batch is init code to the chain, which refuses 49,152 bytes of it
 * (EIP-3860).
 */
export const BATCH_BYTES = 128 * 36

/** Whether each of these peers is registered, in their order: one call for each 128. */
export async function readRegistered(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKeys: readonly PeerKey[],
): Promise<boolean[]> {
  const contracts = peerKeys.map(key => ({ ...peerRegistry, functionName: 'accountOf', args: [key] }) as const)
  // Deployless: a local chain has no Multicall3.
  const read = () => rpc.multicall({ contracts, deployless: true, allowFailure: false, batchSize: BATCH_BYTES })
  return (await callChain(rpcUrl, read)).map(account => account !== zeroAddress)
}

/** The base58 id behind a peer key; null if the peer is not registered. */
export function readPeerId(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKey: PeerKey,
): Promise<string | null> {
  return callChain(rpcUrl, () =>
    rpc.readContract({ ...peerRegistry, functionName: 'peerIdOf', args: [peerKey] }).catch(nullIfUnknown),
  )
}

/** The base58 ids behind peer keys, in their order, null for a key that nobody registered: one call for each 128. */
export async function readPeerIds(
  { rpc, rpcUrl }: ChainClient,
  { peerRegistry }: Contracts,
  peerKeys: readonly PeerKey[],
): Promise<(string | null)[]> {
  const contracts = peerKeys.map(key => ({ ...peerRegistry, functionName: 'peerIdOf', args: [key] }) as const)
  return callChain(rpcUrl, async () => {
    const answers = await rpc.multicall({ contracts, deployless: true, batchSize: BATCH_BYTES })
    return answers.map(({ status, result, error }) => (status === 'success' ? result : nullIfUnknown(error)))
  })
}

/** @throws any error except the registry's refusal of an unknown key. */
function nullIfUnknown(error: unknown): null {
  if (revertedWith(error)?.startsWith('PeerRegistry_UnknownPeer')) return null
  throw error
}
