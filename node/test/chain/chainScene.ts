import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { type Chain, openChain } from '#chain/openChain.ts'
import { systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { environmentHash } from '#environments/environmentSpec.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { registerPeers } from '../../../scripts/swarm/registerPeers.ts'
import { deployContracts, startLocalChain } from '../localChain.ts'

const ROUND_SECONDS = 60
/** Peers that suites ask for. */
const EARLY = 4
export const spec = environmentFrom('starter')
export const word = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`

export type Peer = { identity: Identity; chain: Chain }

/** One chain for all suites: each continues where the previous one ended. */
export type ChainScene = Awaited<ReturnType<typeof openChainScene>>

/** A real chain with the real contracts; a block is mined for each transaction, and time moves when told. */
export async function openChainScene() {
  const local = await startLocalChain()
  const deployment = await deployContracts(local, ROUND_SECONDS, environmentHash(spec), undefined, ROUND_SECONDS)
  const { rounds, challenges } = contractsOf(deployment)
  const stop = new AbortController()
  /** Evaluators with a seat, from the first suite on. */
  const seated: Peer[] = []

  function open(identity: Identity, accountKey: Hex): Promise<Chain> {
    return openChain({
      rpcUrl: local.rpcUrl,
      deployment,
      accountKey,
      peerKey: identity.peerKey,
      signer: identity.signer,
      outbox: createOutboxTable(openDatabase(':memory:')),
      clock: systemClock,
      logger: silentLogger,
      signal: stop.signal,
      pollMs: 10,
      outboxOptions: { confirmations: 2 },
    })
  }

  async function newPeer(accountKey?: Hex, swarmPem?: Uint8Array): Promise<Peer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'waggle-chain-'))
    if (swarmPem !== undefined) writeFileSync(join(dataDir, 'swarm.pem'), swarmPem)
    const identity = await openIdentity(dataDir)
    if (accountKey === undefined) await local.fund(identity.address)
    return { identity, chain: await open(identity, accountKey ?? identity.accountKey) }
  }

  /** Registered before round 0: a key that is registered later has to wait for two rounds. */
  const early = await Promise.all(Array.from({ length: EARLY }, () => newPeer()))
  await registerPeers(
    local.rpcUrl,
    deployment,
    early.map(({ identity }) => identity),
  )

  return {
    local,
    deployment,
    stop,
    seated,
    open,
    newPeer,
    /** Another one whose key counts in every round. */
    registeredPeer(): Peer {
      const peer = early.pop()
      if (peer === undefined) throw new Error('more peers are asked for than were registered')
      return peer
    },
    /** Goes to the start of a round in chain time. */
    async enter(round: number): Promise<void> {
      const args = [BigInt(round)] as const
      await local.travelTo(Number(await local.client.readContract({ ...rounds, functionName: 'startOf', args })))
    },
    withBlocks: local.withBlocks,
    /** Fixes the beacon of the round before the current one, lets its block pass, and records it. */
    async openBeacon(chain: Chain, round: number): Promise<void> {
      expect(await chain.fixBeacon(round)).toMatchObject({ status: 'mined' })
      await local.client.mine({ blocks: 2 })
      expect(await chain.drawBeacon(round)).toMatchObject({ status: 'mined' })
    },
    /** Three answers to one task, all sampled with the same seed. */
    bundleOf(round: number, peerKey: Hex, seed: Hex, count = 3): RolloutBundle {
      const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)
      const rollout = (index: number) => ({
        index,
        promptTokens: tokens(1, 2),
        completionTokens: tokens(3 + index),
        logprobs: new Uint8Array(Float32Array.of(-1).buffer),
        sampling: { temperature: 1, maxNewTokens: 96 },
        seed,
        ended: true,
      })
      const taskRef = { peerKey: word(2), index: 0 }
      return {
        v: 1,
        chainId: deployment.chainId,
        round,
        peerKey,
        policyHash: word(4),
        groups: [{ taskRef, rollouts: Array.from({ length: count }, (_, index) => rollout(index)) }],
      }
    },
    async sealedVerdicts(round: number): Promise<number> {
      const args = { round: BigInt(round) }
      const events = { ...challenges, eventName: 'VerdictCommitted', args, fromBlock: 0n } as const
      return (await local.client.getContractEvents(events)).length
    },
  }
}
