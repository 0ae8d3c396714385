import { expect, test } from 'vitest'
import type { LeafDemand, ShownLeaf } from '#chain/leafDemands.ts'
import type { TxOutcome } from '#chain/outbox.ts'
import { type RolloutBundle, treeOf } from '#core/bodies.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { packLogprobs, packTokens } from '#core/packedTokens.ts'
import type { PeerNode } from '../peerNode.ts'
import { showDemanded } from './showDemanded.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const peerKey = word('11')
const rollout = {
  index: 0,
  promptTokens: packTokens(Int32Array.of(1)),
  completionTokens: packTokens(Int32Array.of(2)),
  logprobs: packLogprobs(Float32Array.of(-1)),
  seed: word('02'),
  sampling: { temperature: 1, maxNewTokens: 1 },
  ended: true,
}
const taskRef = { peerKey: word('03'), index: 0 }
const body: RolloutBundle = {
  ...{ v: 1, chainId: 1, round: 6, peerKey, policyHash: word('05') },
  groups: [{ taskRef, rollouts: [rollout] }],
}

test('a demand is answered whatever the chain or the disk did at earlier polls', async () => {
  const stop = new AbortController()
  const clock = createManualClock()
  const faults = ['the chain rules nonsense', 'the disk is full']
  const shown: ShownLeaf[] = []
  const demand = { round: 6, peerKey, index: 0, state: 'open', throughRound: 8, challenger: word('0a') }
  const node = {
    chain: {
      rounds: {
        read: async () => {
          if (faults.length === 2) throw new TypeError(faults.shift())
          return { round: 7, startsAtSec: 0, endsAtSec: 4, nowSec: 0, block: 1 }
        },
      },
      readDemands: async () => [demand as LeafDemand],
      readRolloutCommitments: async () => [{ peerKey, contentId: word('07') }],
      showLeaf: (leaf: ShownLeaf): Promise<TxOutcome> => {
        if (faults.length > 0) throw new TypeError(faults.shift())
        shown.push(leaf)
        return Promise.resolve({ status: 'mined', hash: word('08'), block: 2 })
      },
    },
    bundles: { get: async () => new Uint8Array(1) },
    bodies: { open: async () => ({ body, tree: treeOf(body) }) },
    ...{ identity: { peerKey }, clock, logger: silentLogger, signal: stop.signal },
  } as unknown as PeerNode
  let isOver = false
  const showing = showDemanded(node).finally(() => {
    isOver = true
  })
  for (let polls = 0; polls < 6; polls += 1) {
    while (clock.sleepers() === 0 && !isOver) await new Promise(resolve => setImmediate(resolve))
    clock.advance(60_000)
  }
  stop.abort()
  await showing
  expect(shown.map(({ header }) => header.index)).toEqual([0])
})
