import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { type Address, bytesToHex, type Hex, hashTypedData, hexToBytes, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** An RSA key as libp2p makes them. */
interface RsaKey {
  publicKey: Parameters<typeof publicKeyToProtobuf>[0]
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>
}

const DEADLINE_SEC = 2n ** 40n

const types = {
  Registration: [
    { name: 'account', type: 'address' },
    { name: 'publicKeyHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

function registration(chainId: number, verifyingContract: Address, account: Address, publicKey: Hex, nonce: bigint) {
  return {
    domain: { name: 'Waggle PeerRegistry', version: '1', chainId, verifyingContract },
    types,
    primaryType: 'Registration',
    message: { account, publicKeyHash: keccak256(publicKey), nonce, deadline: DEADLINE_SEC },
  } as const
}

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
  const signature = await peer.signTypedData(registration(chainId, verifyingContract, account, publicKey, nonce))
  return [publicKey, signature, DEADLINE_SEC]
}

/** The arguments of `registerRsa`, for a key that libp2p made. */
export async function proveRsaRegistration(
  key: RsaKey,
  chainId: number,
  verifyingContract: Address,
  account: Address,
  nonce: bigint,
): Promise<[modulus: Hex, exponent: number, signature: Hex, deadline: bigint]> {
  const publicKey = bytesToHex(publicKeyToProtobuf(key.publicKey))
  const words = hashTypedData(registration(chainId, verifyingContract, account, publicKey, nonce))
  const { n, e } = (key.publicKey as unknown as { jwk: { n: string; e: string } }).jwk
  const modulus = bytesToHex(Buffer.from(n, 'base64url'))
  const exponent = Buffer.from(e, 'base64url').readUIntBE(0, 3)
  return [modulus, exponent, bytesToHex(await key.sign(hexToBytes(words))), DEADLINE_SEC]
}
