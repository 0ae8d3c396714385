import type { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import {
  encodeRolloutBundle,
  encodeScoreSheet,
  MAX_SCORE_SHEET_BYTES,
  type RolloutBundle,
  type ScoreSheet,
  treeOf,
} from '#core/payloads/payloads.ts'
import { createPayloadThread, type PayloadThread, startPayloadWorker } from './payloadThread.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)
const logprobs = new Uint8Array(Float32Array.of(-1).buffer)
const header = { v: 1, chainId: 1, round: 7, peerKey: word('01'), policyHash: word('02') } as const
const sequence = { promptTokens: tokens(1, 2), completionTokens: tokens(3), logprobs, seed: word('05') }
const sampling = { temperature: 1, maxNewTokens: 96 }
const taskRef = { peerKey: word('03'), index: 0 }
const answers: RolloutBundle = {
  ...header,
  groups: [{ taskRef, rollouts: [{ index: 0, ...sequence, sampling, ended: true }] }],
}
const none: ScoreSheet = { v: 1, chainId: 1, round: 7, evaluatorKey: word('06'), peers: [] }

let payloads: PayloadThread
afterEach(() => payloads.close())

test('a payload comes back as it was, with the tree of its leaves', async () => {
  payloads = createPayloadThread()
  const { bytes, tree } = await payloads.seal('rollouts', answers)
  expect(bytes).toEqual(encodeRolloutBundle(answers))
  expect(tree).toEqual(treeOf(answers))
  expect(await payloads.open('rollouts', bytes)).toEqual({ payload: answers, tree })
  expect(await payloads.open('scores', bytes)).toBeNull()
  expect(await payloads.open('rollouts', bytes.subarray(1))).toBeNull()
  const scores = await payloads.seal('scores', none)
  expect(scores).toEqual({ bytes: encodeScoreSheet(none), tree: [] })
  await expect(payloads.seal('rollouts', { ...answers, groups: [] })).rejects.toMatchObject({ code: 'CANONICAL' })
})

test('a score sheet of sixteen million empty maps neither ends the thread nor costs its memory', async () => {
  const started: Worker[] = []
  payloads = createPayloadThread(() => {
    const worker = startPayloadWorker()
    started.push(worker)
    return worker
  })
  const bomb = new Uint8Array(MAX_SCORE_SHEET_BYTES).fill(0xa0)
  bomb.set([0x9a, 0x00, 0xff, 0xff, 0xfb])
  expect(await payloads.open('scores', bomb)).toBeNull()
  expect((await payloads.open('rollouts', encodeRolloutBundle(answers)))?.payload).toEqual(answers)
  expect(started).toHaveLength(1)
})

test('a payload of many leaves comes in parts, so that none is received in one long turn', async () => {
  const rollouts: RolloutBundle = {
    ...header,
    groups: Array.from({ length: 100 }, (_, group) => ({
      taskRef,
      rollouts: [0, 1, 2, 3, 4, 5].map(at => ({ index: 6 * group + at, ...sequence, sampling, ended: true })),
    })),
  }
  let messages = 0
  payloads = createPayloadThread(() => startPayloadWorker().on('message', () => messages++))
  const bytes = encodeRolloutBundle(rollouts)
  expect(await payloads.open('rollouts', bytes)).toEqual({ payload: rollouts, tree: treeOf(rollouts) })
  // The fields that are not lists, then up to 516 leaves, then the rest.
  expect(messages).toBe(3)
})

test('a payload whose thread dies before it was taken whole is not made up from another thread', async () => {
  const started: Worker[] = []
  payloads = createPayloadThread(() => {
    const worker = startPayloadWorker()
    started.push(worker)
    // Dies with the first answer, once that has been taken and before a part is asked for.
    if (started.length === 1) worker.once('message', () => queueMicrotask(() => void worker.emit('exit', 1)))
    return worker
  })
  const bytes = encodeRolloutBundle(answers)
  await expect(payloads.open('rollouts', bytes)).rejects.toMatchObject({ code: 'PAYLOADS_ENDED', retryable: true })
  expect((await payloads.open('rollouts', bytes))?.payload).toEqual(answers)
  await started[0]?.terminate()
})

test('a thread that dies is named and started again by the next call; after the end there is none', async () => {
  const started: Worker[] = []
  payloads = createPayloadThread(() => {
    const worker = startPayloadWorker()
    started.push(worker)
    return worker
  })
  expect(started).toHaveLength(1)
  const { bytes } = await payloads.seal('rollouts', answers)
  const asked = payloads.open('rollouts', bytes)
  await started[0]?.terminate()
  await expect(asked).rejects.toMatchObject({ code: 'PAYLOADS_ENDED', retryable: true })
  expect((await payloads.open('rollouts', bytes))?.payload).toEqual(answers)
  await payloads.close()
  await expect(payloads.open('rollouts', bytes)).rejects.toMatchObject({ code: 'PAYLOADS_CLOSED' })
  expect(started).toHaveLength(2)
})
