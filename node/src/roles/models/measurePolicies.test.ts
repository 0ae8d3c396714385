import { expect, test } from 'vitest'
import { kind, small, solverMessage } from '#environments/reasoning/kind.ts'
import { reasoning } from '#environments/reasoning/reasoning.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { measurePolicy } from './measurePolicies.ts'

const encode = (text: string) => Int32Array.from([...text], character => character.charCodeAt(0))
const tokenizer = {
  endTokens: [0],
  encode: async (text: string) => encode(text),
  decode: async (ids: Int32Array) => String.fromCharCode(...ids),
  chatPrompt: async () => Int32Array.of(1),
}
const prompts = {
  format: 'chat',
  tokenizerHash: `0x${'11'.repeat(32)}`,
  vocabSize: 70_000,
  solver: solverMessage,
  examples: [],
}

/** Answers `7` to every question. */
const policy = {
  generate: async ({ prompts: asked, samplesPerPrompt }: { prompts: Int32Array[]; samplesPerPrompt: number }) =>
    asked.flatMap((_, prompt) =>
      Array.from({ length: samplesPerPrompt }, () => ({ prompt, tokens: encode('7'), ended: true })),
    ),
} as unknown as PolicyClient

test('figures are over the existing held-out tasks, not over those that were asked for', async () => {
  const spec = kind.schema.parse({ ...small, families: ['product'], prompts })
  const environment = reasoning({ spec, tokenizer, solverFolder: '' })
  const judge = await environment.openJudge(null)
  const measured = await measurePolicy(
    { policy, judge, environment: environment as never },
    { level: 1, tasks: 100, samples: 2 },
  )
  expect(measured).toMatchObject({ tasks: 6, families: [{ family: 'product', tasks: 6 }] })
  // Of 6 tasks, not of 100.
  expect(measured.passAtK[0]?.high ?? 0).toBeGreaterThan(0.2)
})
