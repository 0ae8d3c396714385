import { type Hex, hashTypedData, keccak256 } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import type { TestChain, TestPeer } from './testChain.ts'

/** Binds a peer's key to an account, with the proof that the registry asks for. */
export async function bindPeer(
  chain: TestChain,
  key: PrivateKeyAccount,
  account: TestPeer['account'],
): Promise<TestPeer> {
  const { client } = chain
  const registry = chain.contracts.peerRegistry
  const publicKey: Hex = `0x${key.publicKey.slice(4)}`
  const deadline = 1n << 40n
  const digest = hashTypedData({
    domain: { name: 'Waggle PeerRegistry', version: '1', chainId: foundry.id, verifyingContract: registry.address },
    primaryType: 'Registration',
    types: {
      Registration: [
        { name: 'account', type: 'address' },
        { name: 'publicKeyHash', type: 'bytes32' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    message: {
      account: account.address,
      publicKeyHash: keccak256(publicKey),
      nonce: await client.readContract({ ...registry, functionName: 'nonces', args: [account.address] }),
      deadline,
    },
  })
  const signature = await key.sign({ hash: digest })
  const { request, result: peerKey } = await client.simulateContract({
    ...registry,
    account,
    functionName: 'register',
    args: [publicKey, signature, deadline],
  })
  await chain.mined(client.writeContract(request))
  const peerId = await client.readContract({ ...registry, functionName: 'peerIdOf', args: [peerKey] })
  return { peerKey, peerId, account, key }
}
