import { expect, test } from 'vitest'
import { MAX_SEQUENCE_TOKENS } from '#core/payloads/payloads.ts'
import { environmentFrom, presets } from './presets.ts'
import { taskLimits } from './taskLimits.ts'

test("the starter's tasks and answers fit its 256 positions", () => {
  const { solving } = presets.starter
  const { promptTokens, positions } = taskLimits(environmentFrom('starter'))
  expect([positions, promptTokens + solving.maxNewTokens]).toEqual([256, 256])
})

const prompts = {
  format: 'chat',
  tokenizerHash: `0x${'11'.repeat(32)}`,
  vocabSize: 448,
  solver: 's',
  proposer: 'p',
} as const

test.each([
  [16, { promptTokens: 1_520, positions: 1_536 }],
  [256, { promptTokens: 1_280, positions: 1_536 }],
  // Longer answers leave prompts their least length, as far as a rollout may be as long.
  [1_024, { promptTokens: 1_024, positions: 2_048 }],
  [MAX_SEQUENCE_TOKENS - 1, { promptTokens: 1, positions: MAX_SEQUENCE_TOKENS }],
])('before an answer of %i tokens, tasks of chat models have %o', (maxNewTokens, limits) => {
  expect(taskLimits({ prompts, solving: { ...presets.qwen.solving, maxNewTokens } })).toEqual(limits)
})
