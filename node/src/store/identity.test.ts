import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { generateKeyPair, privateKeyToProtobuf, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { hashMessage, hexToBytes, recoverPublicKey } from 'viem'
import { expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import { toHex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { peerName } from '#core/peers/peerName.ts'
import { IdentityError, openIdentity } from './identity.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'waggle-identity-'))

test('a new folder gets a secp256k1 peer key and an account key that only the owner can read, and keeps them', async () => {
  const dataDir = folder()
  const first = await openIdentity(dataDir)
  const second = await openIdentity(dataDir)
  expect(first.peerId).toMatch(/^16Uiu2HA/)
  expect(first.peerKey).toBe(peerKeyOf(first.peerId))
  expect(first.name).toBe(peerName(first.peerId))
  expect(second.peerId).toBe(first.peerId)
  expect(second.accountKey).toBe(first.accountKey)
  for (const name of ['peer.key', 'account.key']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
})

test('git takes no key from a folder in a clone, and a file of the operator stays', async () => {
  const clone = folder()
  const git = (...argv: string[]) => execFileSync('git', ['-C', clone, ...argv], { encoding: 'utf8' })
  git('init', '--quiet')
  const dataDir = join(clone, 'bootnode')
  await openIdentity(dataDir)
  expect(git('status', '--porcelain')).toBe('')
  // As an older release left it.
  rmSync(join(dataDir, '.gitignore'))
  expect(git('status', '--porcelain')).toContain('bootnode/')
  await openIdentity(dataDir)
  expect(git('status', '--porcelain')).toBe('')
  writeFileSync(join(dataDir, '.gitignore'), '*.key\n')
  await openIdentity(dataDir)
  expect(readFileSync(join(dataDir, '.gitignore'), 'utf8')).toBe('*.key\n')
})

test('two nodes that start at once in one new folder agree on the keys', async () => {
  const dataDir = folder()
  const [a, b] = await Promise.all([openIdentity(dataDir), openIdentity(dataDir)])
  expect(a.peerId).toBe(b.peerId)
  expect(a.accountKey).toBe(b.accountKey)
})

test('the swarm.pem of RL Swarm is read as it is and keeps its peer id', async () => {
  const dataDir = folder()
  const key = await generateKeyPair('RSA', 2048)
  const bytes = privateKeyToProtobuf(key)
  writeFileSync(join(dataDir, 'swarm.pem'), bytes)
  const identity = await openIdentity(dataDir)
  expect(identity.peerId).toBe(peerIdFromPrivateKey(key).toString())
  expect(identity.peerId).toMatch(/^Qm/)
  expect(identity.signer?.type).toBe('RSA')
  expect(readFileSync(join(dataDir, 'swarm.pem'))).toEqual(Buffer.from(bytes))
  expect(existsSync(join(dataDir, 'peer.key'))).toBe(false)
})

test.each([
  { bits: 1024, exponent: 65537 },
  { bits: 2048, exponent: 3 },
])('an RSA key of $bits bits with exponent $exponent is refused, and nothing is made next to it', async asked => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'swarm.pem'), rsaKeyOf(asked))
  const error = await openIdentity(dataDir).catch(thrown => thrown)
  expect(formatError(error)).toMatch(
    new RegExp(
      `RSA key of ${asked.bits} bits with the exponent ${asked.exponent}\\. .*2048 to 4096 bits.*65537.*\\[IDENTITY\\]$`,
    ),
  )
  expect(readdirSync(dataDir)).toEqual(['swarm.pem'])
})

/** libp2p's protobuf: field 1, type 0 (RSA); field 2, PKCS#1 behind a length in two bytes. */
function rsaKeyOf({ bits, exponent }: { bits: number; exponent: number }): Uint8Array {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits, publicExponent: exponent })
  const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'der' })
  return Buffer.concat([Buffer.from([8, 0, 0x12, (pkcs1.length & 0x7f) | 0x80, pkcs1.length >> 7]), pkcs1])
}

test('two peer keys in one folder are refused', async () => {
  const dataDir = folder()
  await openIdentity(dataDir)
  writeFileSync(join(dataDir, 'swarm.pem'), privateKeyToProtobuf(await generateKeyPair('RSA', 2048)))
  await expect(openIdentity(dataDir)).rejects.toThrow(/two peer keys/)
})

test('a damaged key is reported, left as it is, and not quoted', async () => {
  for (const name of ['peer.key', 'swarm.pem', 'account.key']) {
    const dataDir = folder()
    writeFileSync(join(dataDir, name), 'garbage-0123')
    const error = await openIdentity(dataDir).catch(thrown => thrown)
    expect(error).toBeInstanceOf(IdentityError)
    expect(inspect(error)).not.toContain('garbage')
    expect(readFileSync(join(dataDir, name), 'utf8')).toBe('garbage-0123')
  }
})

test('no key is in the JSON or the inspection of an identity', async () => {
  const identity = await openIdentity(folder())
  for (const text of [JSON.stringify({ identity }), inspect({ identity }, { depth: 9 })]) {
    expect(text).toContain(identity.peerId)
    expect(text).not.toContain(identity.accountKey.slice(2))
    expect(text).not.toMatch(/privateKey|accountKey/)
  }
})

test('the signer signs with the peer key', async () => {
  const { signer } = await openIdentity(folder())
  if (signer?.type !== 'secp256k1') throw new Error('no signer')
  const hash = hashMessage('x')
  const signature = await signer.sign(hash)
  expect(signature).toHaveLength(2 + 65 * 2)
  expect(await recoverPublicKey({ hash, signature })).toBe(`0x04${signer.publicKey.slice(2)}`)
})

test('an RSA signer signs as libp2p does, and shows the numbers of its key', async () => {
  const dataDir = folder()
  const key = await generateKeyPair('RSA', 2048)
  writeFileSync(join(dataDir, 'swarm.pem'), privateKeyToProtobuf(key))
  const { signer } = await openIdentity(dataDir)
  if (signer?.type !== 'RSA') throw new Error('no signer')
  const hash = hashMessage('x')
  expect(await key.publicKey.verify(hexToBytes(hash), hexToBytes(await signer.sign(hash)))).toBe(true)
  expect(signer.exponent).toBe(65537)
  expect(signer.modulus).toHaveLength(2 + 256 * 2)
  expect(signer.publicKey).toBe(toHex(publicKeyToProtobuf(key.publicKey)))
})

test('a key that the registry cannot check has no signer', async () => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'swarm.pem'), privateKeyToProtobuf(await generateKeyPair('Ed25519')))
  expect((await openIdentity(dataDir)).signer).toBeNull()
})

test('a device instead of a key is refused at once', async () => {
  for (const name of ['peer.key', 'account.key']) {
    const dataDir = folder()
    symlinkSync('/dev/zero', join(dataDir, name))
    const error = await openIdentity(dataDir).catch(thrown => thrown)
    expect(formatError(error)).toMatch(new RegExp(`${name} is not a regular file\\. .* \\[FILE\\]$`))
  }
})

test.each(['peer.key', 'account.key'])('a peer that has run gets no new %s instead of a lost one', async name => {
  const dataDir = folder()
  await openIdentity(dataDir)
  writeFileSync(join(dataDir, 'journal.sqlite'), '')
  rmSync(join(dataDir, name))
  const error = await openIdentity(dataDir).catch(thrown => thrown)
  expect(formatError(error)).toMatch(
    new RegExp(`${name} is missing, although .* has already run\\. Restore it from a backup.* \\[IDENTITY\\]$`),
  )
  expect(existsSync(join(dataDir, name))).toBe(false)
})
