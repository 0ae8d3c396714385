import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import type { CanaryBundle } from '#core/payloads/payloads.ts'
import type { Judge } from '#environments/environment.ts'
import type { Completion } from '#model/generation/completion.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { publishCanary } from './canary.ts'
import { readCanaryPoints } from './provenance.ts'

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`

/** A node with one held-out task, and what it published. */
function nodeWithCanaries() {
  let sealed: CanaryBundle | undefined
  const published: { bundle: CanaryBundle; policyHash: Hex }[] = []
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const stop = new AbortController()
  const warned: string[] = []
  const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) }
  const node = {
    ...{ journal, logger, chainId: 31337, identity: { peerKey: hash('1') }, signal: stop.signal },
    disk: { isFault: (error: unknown) => String(error).includes('ENOSPC') },
    environment: {
      spec: {
        canary: { everyRounds: 5, level: 1, tasks: 1, samplesPerTask: 2 },
        solving: { temperature: 1, topP: 1, maxNewTokens: 4 },
      },
      format: {
        ...{ stopToken: 0, moreStopTokens: [], tokenBytes: 2 },
        solverPrompt: async () => Int32Array.of(1),
        completionText: async (tokens: Int32Array) => tokens.join(' '),
      },
      heldOutTasks: async () => [{ problem: 'six times seven' }],
    },
    payloads: {
      seal: async (_: string, bundle: CanaryBundle) => {
        sealed = bundle
        return { bytes: new Uint8Array() }
      },
    },
    bundles: { put: async () => hash('2') },
    network: {
      publish: async ({ policyHash }: { policyHash: Hex }) => {
        if (sealed) published.push({ bundle: sealed, policyHash })
      },
    },
  }
  return { published, journal, stop, warned, node: node as unknown as PeerNode }
}

const judge = {
  score: async (answers: readonly unknown[]) => answers.map((_, at) => ({ score: 1 - at / 2, correctness: 1 })),
} as unknown as Judge

const sampler = {
  weightsHash: async () => hash('3'),
  generate: async () => [0, 0].map(prompt => ({ prompt, tokens: Int32Array.of(7, 0), ended: true }) as Completion),
}

test('a canary is of the policy whose answers are committed, and only due in every fifth round', async () => {
  const { node, published, journal } = nodeWithCanaries()
  for (const round of [9, 10, 11]) await publishCanary(node, sampler as never, judge, round)
  expect(published).toEqual([
    { policyHash: hash('3'), bundle: expect.objectContaining({ round: 10, policyHash: hash('3') }) },
  ])
  expect(published[0]?.bundle.samples.map(({ task, sample, scoreMilli }) => [task, sample, scoreMilli])).toEqual([
    [0, 0, 1000],
    [0, 1, 500],
  ])
  expect(readCanaryPoints(journal)).toEqual([{ round: 10, reward: 0.75, correctness: 1 }])
})

test('a canary that fails costs the canary alone, unless the node stops or the disk is at fault', async () => {
  const { node, published, stop, warned } = nodeWithCanaries()
  const failing = (message: string) => ({ score: async () => Promise.reject(new Error(message)) }) as unknown as Judge
  await publishCanary(node, sampler as never, failing('the server is away'), 10)
  expect([published, warned]).toEqual([[], ['this round has no canary']])
  await expect(publishCanary(node, sampler as never, failing('ENOSPC'), 10)).rejects.toThrow('ENOSPC')
  stop.abort()
  await expect(publishCanary(node, sampler as never, failing('stopped'), 10)).rejects.toThrow('stopped')
})
