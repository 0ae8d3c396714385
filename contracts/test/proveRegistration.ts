import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { registrationDigest } from '../../node/src/chain/peers/registerPeer.ts'

/** An RSA key as libp2p makes them. */
interface RsaKey {
  publicKey: Parameters<typeof publicKeyToProtobuf>[0]
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>
}

const DEADLINE_SEC = 2 ** 40

function digestOf(chainId: number, registry: Address, account: Address, publicKey: Hex, nonce: bigint): Hex {
  const at = { chainId, peerRegistry: { address: registry } }
  return registrationDigest(at, publicKey, { account, nonce, deadlineSec: DEADLINE_SEC })
}

/** The arguments of `register`: a peer's public key, and its proof that it belongs to `account`. */
export async function proveRegistration(
  peerPrivateKey: Hex,
  chainId: number,
  registry: Address,
  account: Address,
  nonce: bigint,
): Promise<[publicKey: Hex, signature: Hex, deadline: bigint]> {
  const peer = privateKeyToAccount(peerPrivateKey)
  const publicKey: Hex = `0x${peer.publicKey.slice(4)}`
  const signature = await peer.sign({ hash: digestOf(chainId, registry, account, publicKey, nonce) })
  return [publicKey, signature, BigInt(DEADLINE_SEC)]
}

/** The arguments of `registerRsa`, for a key that libp2p made. */
export async function proveRsaRegistration(
  key: RsaKey,
  chainId: number,
  registry: Address,
  account: Address,
  nonce: bigint,
): Promise<[modulus: Hex, exponent: number, signature: Hex, deadline: bigint]> {
  const publicKey = bytesToHex(publicKeyToProtobuf(key.publicKey))
  const words = digestOf(chainId, registry, account, publicKey, nonce)
  const { n, e } = (key.publicKey as unknown as { jwk: { n: string; e: string } }).jwk
  const modulus = bytesToHex(Buffer.from(n, 'base64url'))
  const exponent = Buffer.from(e, 'base64url').readUIntBE(0, 3)
  return [modulus, exponent, bytesToHex(await key.sign(hexToBytes(words))), BigInt(DEADLINE_SEC)]
}
