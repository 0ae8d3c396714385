import { type Address, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const DEADLINE_SEC = 2n ** 40n

const types = {
  Registration: [
    { name: 'account', type: 'address' },
    { name: 'publicKeyHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** The arguments of `register`: a peer's public key, and its proof that it belongs to `account`. */
export async function proveRegistration(
  peerPrivateKey: Hex,
  chainId: number,
  verifyingContract: Address,
  account: Address,
  nonce: bigint,
): Promise<[publicKey: Hex, signature: Hex, deadline: bigint]> {
  const peer = privateKeyToAccount(peerPrivateKey)
  const publicKey: Hex = `0x${peer.publicKey.slice(4)}`
  const signature = await peer.signTypedData({
    domain: { name: 'Waggle PeerRegistry', version: '1', chainId, verifyingContract },
    types,
    primaryType: 'Registration',
    message: { account, publicKeyHash: keccak256(publicKey), nonce, deadline: DEADLINE_SEC },
  })
  return [publicKey, signature, DEADLINE_SEC]
}
