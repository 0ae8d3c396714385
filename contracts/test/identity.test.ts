import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { network } from 'hardhat'
import { bytesToHex, keccak256, stringToBytes } from 'viem'
import { deployContracts } from './deployContracts.ts'
import { proveRegistration, proveRsaRegistration } from './proveRegistration.ts'

test('the peer id derived on chain is the one that libp2p derives from the same key', async () => {
  const { viem } = await network.create()
  const { registry, admin, chainId } = await deployContracts(viem, { startsAtSec: 0, roundSeconds: 1 })
  for (let nonce = 0n; nonce < 24n; nonce++) {
    const key = await generateKeyPair('secp256k1')
    const peerId = peerIdFromPrivateKey(key).toString()
    const proof = await proveRegistration(bytesToHex(key.raw), chainId, registry.address, admin, nonce)
    await registry.write.register(proof)

    const peerKey = keccak256(stringToBytes(peerId))
    assert.equal(await registry.read.peerIdOf([peerKey]), peerId)
    assert.deepEqual(await registry.read.peersOf([admin, nonce, 1n]), [peerKey])
  }
})

for (const bits of [2048, 3072, 4096]) {
  test(`an RSA key of ${bits} bits registers under the peer id that libp2p derives from it`, async () => {
    const { viem } = await network.create()
    const { registry, admin, chainId } = await deployContracts(viem, { startsAtSec: 0, roundSeconds: 1 })
    const key = await generateKeyPair('RSA', bits)
    const peerId = peerIdFromPrivateKey(key).toString()
    await registry.write.registerRsa(await proveRsaRegistration(key, chainId, registry.address, admin, 0n))
    assert.equal(await registry.read.peerIdOf([keccak256(stringToBytes(peerId))]), peerId)
  })
}
