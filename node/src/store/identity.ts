import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey, RSAPrivateKey, Secp256k1PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { bytesToHex, hexToBytes } from 'viem'
import { privateKeyToAccount, privateKeyToAddress, sign } from 'viem/accounts'
import { NodeError } from '#base/errors.ts'
import { FileError } from '#base/fileError.ts'
import { makeFolder } from '#base/makeFolder.ts'
import { isNamed, readSmallFile } from '#base/readSmallFile.ts'
import { writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import type { AccountAddress, AccountKey, PeerKey } from '#core/hashes.ts'
import { type Hex, toHex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { peerName } from '#core/peers/peerName.ts'
import type { PeerSigner, RsaSigner, Secp256k1Signer } from '#core/peers/peerSigner.ts'
import { stampFolder } from './folderFormat.ts'
import { ACCOUNT_KEY_FILE, PEER_KEY_FILE, SWARM_PEM_FILE } from './folderNames.ts'
import { JOURNAL_FILE } from './openDatabase.ts'

/** A key file that cannot be read, or two key files instead of one. Neither is ever overwritten. */
export class IdentityError extends NodeError {
  override readonly code = 'IDENTITY'
}

/** A node's identity. Serialised or inspected, it shows only public parts. */
export type Identity = {
  peerId: string
  peerKey: PeerKey
  /** Three words. */
  name: string
  /** Address of the account that pays for transactions. */
  address: AccountAddress
  /** For libp2p. */
  privateKey: PrivateKey
  /** Private key of the account. */
  accountKey: AccountKey
  /** Null for a key that is neither secp256k1 nor RSA: the registry cannot check it. */
  signer: PeerSigner | null
}

const RSA_BITS = { min: 2048, max: 4096 }
/** A larger file is not a key. */
const MAX_KEY_BYTES = 16_384

/**
 * The identity in a data folder; missing keys are created, with mode 0600.
 *
 * `peer.key` is libp2p's protobuf of a secp256k1 key. A `swarm.pem` of RL Swarm (the same protobuf, RSA; it is not PEM)
 * is read instead and keeps its peer id. `account.key` is 32 bytes in hexadecimal.
 *
 * @throws {IdentityError} a file that is damaged, both `peer.key` and `swarm.pem`, or an RSA key that no registry takes.
 */
export async function openIdentity(dataDir: string): Promise<Identity> {
  makeFolder(dataDir, 0o700)
  const privateKey = await openPeerKey(dataDir)
  hideFromGit(dataDir)
  if (!existsSync(join(dataDir, ACCOUNT_KEY_FILE))) stampFolder(dataDir)
  const accountKey = openAccountKey(dataDir)
  const peerId = peerIdFromPrivateKey(privateKey).toString()
  const shown = { peerId, peerKey: peerKeyOf(peerId), name: peerName(peerId), address: privateKeyToAddress(accountKey) }
  const secret = { privateKey, accountKey, signer: peerSignerOf(privateKey) }
  const identity: Identity = { ...shown, ...secret }
  // Keeps keys out of log lines, errors and JSON dumps.
  const hidden = { enumerable: false, value: () => shown }
  return Object.defineProperties(identity, { toJSON: hidden, [inspect.custom]: hidden })
}

/** A folder in a clone would be part of the next `git add -A`, with its keys. A file that is there already stays. */
function hideFromGit(dataDir: string): void {
  const path = join(dataDir, '.gitignore')
  if (isNamed(path)) return
  try {
    writeFileAtomicSync(path, '*\n')
  } catch {
    // A full or read-only disk: a peer that has its keys starts nevertheless, and waits.
  }
}

async function openPeerKey(dataDir: string): Promise<PrivateKey> {
  const peerKeyPath = join(dataDir, PEER_KEY_FILE)
  const swarmPemPath = join(dataDir, SWARM_PEM_FILE)
  if (isNamed(swarmPemPath)) {
    if (isNamed(peerKeyPath))
      throw new IdentityError(`${dataDir} contains two peer keys, ${PEER_KEY_FILE} and ${SWARM_PEM_FILE}.`, {
        hint: 'Keep the one whose peer id you want here, and move the other to its own folder.',
      })
    return readPeerKey(swarmPemPath)
  }
  if (!isNamed(peerKeyPath)) {
    requireNew(dataDir, peerKeyPath)
    createSecretFile(peerKeyPath, privateKeyToProtobuf(await generateKeyPair('secp256k1')))
  }
  return readPeerKey(peerKeyPath)
}

function readPeerKey(path: string): PrivateKey {
  try {
    const key = privateKeyFromProtobuf(readSmallFile(path, MAX_KEY_BYTES))
    if (key.type === 'RSA') requireUsableRsaKey(key, path)
    return key
  } catch (cause) {
    throw cause instanceof IdentityError || cause instanceof FileError ? cause : damaged(path, cause)
  }
}

/** PeerRegistry refuses any other RSA key, and peers refuse its signatures. */
function requireUsableRsaKey(key: RSAPrivateKey, path: string): void {
  const { bits, exponent } = rsaNumbersOf(key)
  if (
    bits >= RSA_BITS.min &&
    bits <= RSA_BITS.max &&
    exponent >= 65537n &&
    exponent < 1n << 32n &&
    exponent % 2n === 1n
  )
    return
  throw new IdentityError(`${path} contains an RSA key of ${bits} bits with the exponent ${exponent}.`, {
    hint: `The registry takes ${RSA_BITS.min} to ${RSA_BITS.max} bits and an odd exponent of 65537 or more, below 2^32. Put such a key there, or move the file away to start as a new peer.`,
  })
}

function openAccountKey(dataDir: string): AccountKey {
  const path = join(dataDir, ACCOUNT_KEY_FILE)
  if (!isNamed(path)) {
    requireNew(dataDir, path)
    createSecretFile(path, `${randomAccountKey()}\n`)
  }
  const text = readSmallFile(path, MAX_KEY_BYTES).toString().trim()
  const key: Hex = `0x${text.replace(/^0x/, '').toLowerCase()}`
  try {
    privateKeyToAddress(key)
    return key
  } catch {
    // The cause is not passed on: its message may quote the key.
    throw damaged(path, undefined)
  }
}

/** 32 random bytes are a valid key, except in one case of 2^128. */
function randomAccountKey(): string {
  return toHex(randomBytes(32)).slice(2)
}

/** Creates the whole file or nothing, and never replaces one: if two nodes start at once, the first one's key stays. */
function createSecretFile(path: string, content: string | Uint8Array): void {
  const partial = `${path}.${process.pid}.partial`
  try {
    writeFileSync(partial, content, { mode: 0o600, flush: true })
    linkSync(partial, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(partial, { force: true })
  }
}

/** A new key in the folder of a peer that has run would be another peer or account, without its points, stake and funds. */
function requireNew(dataDir: string, path: string): void {
  if (!existsSync(join(dataDir, JOURNAL_FILE))) return
  throw new IdentityError(`${path} is missing, although the peer in this folder has already run.`, {
    hint: 'Restore it from a backup. To start as a new peer instead, name another folder with --data.',
  })
}

function damaged(path: string, cause: unknown): IdentityError {
  return new IdentityError(`The key file ${path} is damaged; it was left as it is.`, {
    hint: 'Restore it from a backup. To start as a new peer instead, move the file away.',
    cause,
  })
}

/** Signer that proves possession of a peer's key to the registry; null for a kind of key that the registry cannot check. */
function peerSignerOf(key: PrivateKey): PeerSigner | null {
  if (key.type === 'secp256k1') return secp256k1Signer(key)
  if (key.type === 'RSA') return rsaSigner(key)
  return null
}

function secp256k1Signer(key: Secp256k1PrivateKey): Secp256k1Signer {
  const privateKey = bytesToHex(key.raw)
  // viem returns 0x04, x, y; the registry takes x, y.
  const publicKey: Hex = `0x${privateKeyToAccount(privateKey).publicKey.slice(4)}`
  return { type: 'secp256k1', publicKey, sign: digest => sign({ hash: digest, privateKey, to: 'hex' }) }
}

/** Size of the modulus and public exponent of an RSA key. */
function rsaNumbersOf(key: RSAPrivateKey) {
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
