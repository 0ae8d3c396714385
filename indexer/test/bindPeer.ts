import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { registrationDigest } from '../../node/src/chain/peers/registerPeer.ts'
import type { ConnectedChain, TestPeer } from './testPeers.ts'

const DEADLINE_SEC = 2 ** 40

/** Binds a peer's key to an account, with the proof that the registry asks for. */
export async function bindPeer(
  chain: ConnectedChain,
  key: PrivateKeyAccount,
  account: TestPeer['account'],
): Promise<TestPeer> {
  const { client } = chain
  const registry = chain.contracts.peerRegistry
  const publicKey: Hex = `0x${key.publicKey.slice(4)}`
  const nonce = await client.readContract({ ...registry, functionName: 'nonces', args: [account.address] })
  const registration = { account: account.address, nonce, deadlineSec: DEADLINE_SEC }
  const signature = await key.sign({ hash: registrationDigest(chain.contracts, publicKey, registration) })
  const { request, result: peerKey } = await client.simulateContract({
    ...registry,
    account,
    functionName: 'register',
    args: [publicKey, signature, BigInt(DEADLINE_SEC)],
  })
  await chain.mined(client.writeContract(request))
  const peerId = await client.readContract({ ...registry, functionName: 'peerIdOf', args: [peerKey] })
  return { peerKey, peerId, account, key }
}
