import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import { expect, test } from 'vitest'
import { ChainUnreachableError, ContractMissingError, NoFundsError, WrongChainError } from '#chain/chainErrors.ts'
import { openChain } from '#chain/openChain.ts'
import { systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { merkleProof } from '#core/merkle.ts'
import { leafHash } from '#core/payloads/leaf.ts'
import { type RolloutLeaf, rolloutLeaf, rolloutLeaves, rootOf } from '#core/payloads/payloads.ts'
import { environmentBytes } from '#environments/environmentSpec.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { freePort } from '../../../scripts/base/freePorts.ts'
import { type ChainScene, type Peer, spec, word } from './chainScene.ts'

/** How writes and faults are told. */
export function testWrites(scene: ChainScene): void {
  test('the leaf and the proof that are computed here are those of the contract', async () => {
    const { local, newPeer, bundleOf } = scene
    const { identity } = await newPeer()
    const bundle = bundleOf(5, identity.peerKey, word(1))
    const { rolloutCommitments } = (await newPeer()).chain.contracts
    const { header } = rolloutLeaf(bundle, 1) as RolloutLeaf
    const { index, taskHash, policyHash, seed, bodyHash } = header
    const args = [5n, identity.peerKey, { index, taskHash, policyHash, seed, bodyHash }] as const
    const onChain = await local.client.readContract({ ...rolloutCommitments, functionName: 'leafOf', args })
    expect(onChain).toBe(leafHash(header))
    const proof = merkleProof(rolloutLeaves(bundle), 1)
    const verify = [rootOf(bundle), onChain, proof] as const
    expect(await local.client.readContract({ ...rolloutCommitments, functionName: 'verifyLeaf', args: verify })).toBe(
      true,
    )
  })

  test('an environment is described by whoever comes first, and the others lose nothing', async () => {
    const { newPeer, withBlocks } = scene
    const [{ chain }, second] = [await newPeer(), await newPeer()]
    expect(await chain.readSample(0)).toBeNull()
    const specification = environmentBytes(spec)
    const outcomes = await withBlocks(() =>
      Promise.all([chain, second.chain, chain].map(one => one.describeEnvironment(specification))),
    )
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'mined' })
    // It is sent once.
    expect(outcomes[2]).toEqual(outcomes[0])
    const { owedLeaves, sampledLeaves } = spec
    expect(await second.chain.readSample(0)).toEqual({ owedLeaves, sampledLeaves })
  })

  test('a revert is a value that names the contract’s error', async () => {
    const { newPeer, withBlocks } = scene
    const { chain } = await newPeer()
    const { round } = await chain.rounds.read()
    const rollouts = { round, root: word(1), count: 1, policyHash: word(2), contentId: word(3) }
    const outcome = await withBlocks(() => chain.commitRollouts(rollouts))
    expect(outcome).toMatchObject({ status: 'reverted', hash: null })
    expect((outcome as { error: string }).error).toMatch(/^RolloutCommitments_NotPeerAccount\(0x/)
  })

  test('a transaction for a round that passed is dropped', async () => {
    const { newPeer, withBlocks } = scene
    const { chain } = await newPeer()
    const { round } = await chain.rounds.read()
    const rollouts = { round: round - 1, root: word(1), count: 1, policyHash: word(2), contentId: word(3) }
    const late = withBlocks(() => chain.commitRollouts(rollouts))
    expect(await late).toEqual({ status: 'dropped', reason: 'round passed' })
  })

  test('two nodes on one account do not disturb each other', async () => {
    const { newPeer, open, enter, withBlocks } = scene
    const first = await newPeer()
    const identity = await openIdentity(mkdtempSync(join(tmpdir(), 'waggle-chain-')))
    const second = { identity, chain: await open(identity, first.identity.accountKey) }
    expect(await first.chain.registerPeer()).toMatchObject({ status: 'mined' })
    expect(await second.chain.registerPeer()).toMatchObject({ status: 'mined' })
    const round = (await first.chain.rounds.read()).round + 2
    await enter(round)
    const rollouts = { round, count: 1, policyHash: word(2), contentId: word(3) }
    // A call that lost its nonce waits until that is deep: blocks must come by themselves.
    const commits = ({ chain }: Peer) => [1, 2].map(i => chain.commitRollouts({ ...rollouts, root: word(i) }))
    const outcomes = await withBlocks(() => Promise.all([first, second].flatMap(commits)))
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('mined'))
  })

  test('an identity whose key the registry cannot check is told that it cannot register', async () => {
    const { newPeer, open } = scene
    const { identity } = await newPeer()
    const chain = await open({ ...identity, signer: null }, identity.accountKey)
    expect(await chain.registerPeer()).toEqual({ status: 'unsupported key' })
  })

  test('each fault at the start is one clear error', async () => {
    const { local, deployment, stop } = scene
    const identity = await openIdentity(mkdtempSync(join(tmpdir(), 'waggle-chain-')))
    const attempt = (changes: { deployment?: Deployment; rpcUrl?: string }) =>
      openChain({
        rpcUrl: local.rpcUrl,
        deployment,
        accountKey: identity.accountKey,
        peerKey: identity.peerKey,
        signer: identity.signer,
        outbox: createOutboxTable(openDatabase(':memory:')),
        clock: systemClock,
        logger: silentLogger,
        signal: stop.signal,
        ...changes,
      })
    await expect(attempt({})).rejects.toThrow(NoFundsError)
    await expect(attempt({ deployment: { ...deployment, chainId: 11155111 } })).rejects.toThrow(WrongChainError)
    const moved = { ...deployment.contracts, Rounds: { address: `0x${'12'.repeat(20)}` as Hex, startBlock: 0 } }
    await expect(attempt({ deployment: { ...deployment, contracts: moved } })).rejects.toThrow(ContractMissingError)
    const closed = `http://127.0.0.1:${await freePort()}/secret-api-key`
    const unreachable = await attempt({ rpcUrl: closed }).catch(error => error)
    expect(unreachable).toBeInstanceOf(ChainUnreachableError)
    expect(unreachable.message).not.toContain('secret-api-key')
  })
}
