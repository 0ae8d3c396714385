import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { formatSizes } from '#core/payloads/payloadSizes.ts'
import { encodeRolloutBundle, MAX_SEQUENCE_TOKENS } from '#core/payloads/payloads.ts'
import { checkSizes } from './checkSizes.ts'
import { environmentFrom, presets } from './codezero/presets.ts'
import { scoreComponents } from './codezero/scoreAnswers.ts'
import type { Environment } from './environment.ts'
import { payloadSizes } from './payloadSizes.ts'

const hash: Hex = `0x${'ff'.repeat(32)}`
const header = { v: 1, chainId: 2 ** 40, round: 2 ** 40, peerKey: hash, policyHash: hash } as const
const list = <T>(count: number, item: (at: number) => T) => Array.from({ length: count }, (_, at) => item(at))

const sequence = (token: number, completion: number) => ({
  promptTokens: new Uint8Array(MAX_SEQUENCE_TOKENS * token),
  completionTokens: new Uint8Array(completion * token),
  logprobs: new Uint8Array(completion * 4),
  seed: hash,
})

const sizesOf = (spec: (typeof presets)['starter'], tokenBytes: 2 | 4) =>
  payloadSizes({ spec, components: scoreComponents, format: { tokenBytes } })

test.each([
  ['starter', presets.starter, 2],
  ['chat', presets.qwen, 4],
] as const)('the largest payloads that an honest peer can make are within their size: %s', (_, spec, token) => {
  const { solving, tasksPerRound, groupSize } = spec
  const rollouts = encodeRolloutBundle({
    ...header,
    graphHash: hash,
    groups: list(tasksPerRound, group => ({
      taskRef: { peerKey: hash, index: 255 },
      rollouts: list(groupSize, sample => ({
        index: group * groupSize + sample,
        ...sequence(token, solving.maxNewTokens),
        sampling: { temperature: 0.7, maxNewTokens: solving.maxNewTokens },
        ended: false,
      })),
    })),
  })
  expect(rollouts.byteLength).toBeLessThanOrEqual(sizesOf(spec, token).rollouts)
})

test('a size follows the specification, and never goes beyond the format', () => {
  const starter = sizesOf(presets.starter, 2)
  expect(starter.rollouts).toBeLessThan(1 << 20)
  expect(starter.canary).toBeLessThan(1 << 20)
  const large = environmentFrom('starter', { tasksPerRound: 256, groupSize: 64, sampledLeaves: 256 })
  expect(sizesOf(large, 2)).toMatchObject({ rollouts: formatSizes.rollouts, scores: formatSizes.scores })
})

test('the check of an environment finds answers that cannot be published', async () => {
  const prompt = new Int32Array(400)
  const checked = (changes: Partial<(typeof presets)['qwen']>) => {
    const format = { tokenBytes: 4, solverPrompt: async () => prompt }
    const environment = { spec: { ...presets.qwen, ...changes }, format, drawTasks: () => [{ problem: {} }] }
    return checkSizes(environment as unknown as Environment)
  }
  expect(await checked({})).toEqual([])
  const solving = { ...presets.qwen.solving, maxNewTokens: 1856 }
  expect(await checked({ solving, tasksPerRound: 64, groupSize: 8 })).toEqual([
    expect.stringMatching(/^rollouts: up to \d+ bytes, of which 8388608 can be published/),
  ])
  expect(await checked({ solving, canary: { level: 1, tasks: 64, samplesPerTask: 64, everyRounds: 1 } })).toEqual([
    expect.stringMatching(/^canary: up to/),
  ])
})
