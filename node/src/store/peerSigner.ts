import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey, RSAPrivateKey, Secp256k1PrivateKey } from '@libp2p/interface'
import { bytesToHex, hexToBytes } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { type Hex, toHex } from '#core/hex.ts'
import type { PeerSigner, RsaSigner, Secp256k1Signer } from '#core/peers/peerSigner.ts'

/** What proves possession of a peer's key to the registry; null for a kind of key that it cannot check. */
export function peerSignerOf(key: PrivateKey): PeerSigner | null {
  if (key.type === 'secp256k1') return secp256k1Signer(key)
  if (key.type === 'RSA') return rsaSigner(key)
  return null
}

function secp256k1Signer(key: Secp256k1PrivateKey): Secp256k1Signer {
  const privateKey = bytesToHex(key.raw)
  // viem gives 0x04, x, y; the registry takes x, y.
  const publicKey: Hex = `0x${privateKeyToAccount(privateKey).publicKey.slice(4)}`
  return { type: 'secp256k1', publicKey, sign: digest => sign({ hash: digest, privateKey, to: 'hex' }) }
}

/** Size of the modulus and public exponent of an RSA key. */
export function rsaNumbersOf(key: RSAPrivateKey) {
  const { n, e } = (key.publicKey as unknown as { jwk: { n: string; e: string } }).jwk
  const modulus: Hex = `0x${Buffer.from(n, 'base64url').toString('hex')}`
  const exponent = BigInt(`0x${Buffer.from(e, 'base64url').toString('hex')}`)
  return { modulus, bits: BigInt(modulus).toString(2).length, exponent }
}

function rsaSigner(key: RSAPrivateKey): RsaSigner {
  const { modulus, exponent } = rsaNumbersOf(key)
  return {
    type: 'RSA',
    publicKey: toHex(publicKeyToProtobuf(key.publicKey)),
    modulus,
    exponent: Number(exponent),
    sign: async digest => toHex(await key.sign(hexToBytes(digest))),
  }
}
