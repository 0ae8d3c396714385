import type { Deployment } from '@waggle/deployments/record'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { contractsOf } from '../../node/src/chain/contracts.ts'
import { REGISTRATION_SECONDS, registerPeer } from '../../node/src/chain/peers/registerPeer.ts'
import type { Identity } from '../../node/src/store/identity.ts'

/** A peer that registers: keys, and an account with coin on it. */
type Registrant = Pick<Identity, 'accountKey' | 'peerKey' | 'signer'>

/** Registers the peers that are not yet, each from its own account, all at once. @returns the transactions. */
export async function registerPeers(
  rpcUrl: string,
  deployment: Deployment,
  peers: readonly Registrant[],
): Promise<Hex[]> {
  const contracts = contractsOf(deployment)
  const { peerRegistry } = contracts
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const { timestamp } = await client.getBlock()
  const sent = peers.map(async ({ accountKey, peerKey, signer }): Promise<Hex[]> => {
    const account = privateKeyToAccount(accountKey)
    const owner = await client.readContract({ ...peerRegistry, functionName: 'accountOf', args: [peerKey] })
    if (signer === null || owner === account.address) return []
    const nonce = await client.readContract({ ...peerRegistry, functionName: 'nonces', args: [account.address] })
    const deadlineSec = Number(timestamp) + REGISTRATION_SECONDS
    const { to, data } = await registerPeer(contracts, signer, { account: account.address, nonce, deadlineSec })
    return [await createWalletClient({ account, transport: http(rpcUrl) }).sendTransaction({ to, data, chain: null })]
  })
  return (await Promise.all(sent)).flat()
}
