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
const spec = kind.schema.parse({ ...small, families: ['product'], prompts })
const environment = reasoning({ spec, tokenizer, solverFolder: '' })

/** Measures a policy that answers every question alike. */
async function measured(answer: string, ended = true) {
  const generate = async ({ prompts: asked, samplesPerPrompt }: { prompts: Int32Array[]; samplesPerPrompt: number }) =>
    asked.flatMap((_, prompt) =>
      Array.from({ length: samplesPerPrompt }, () => ({ prompt, tokens: encode(answer), ended })),
    )
  const policy = { generate } as unknown as PolicyClient
  const opened = { policy, judge: await environment.openJudge(null), environment: environment as never }
  return measurePolicy(opened, { level: 1, tasks: 100, samples: 2 })
}

test('figures are over the existing held-out tasks, not over those that were asked for', async () => {
  const figures = await measured('7')
  expect(figures).toMatchObject({ tasks: 6, families: [{ family: 'product', tasks: 6 }] })
  // Of 6 tasks, not of 100.
  expect(figures.passAtK[0]?.high ?? 0).toBeGreaterThan(0.2)
})

test('a right answer that the token limit cut off is wrong, as for the score', async () => {
  const [task] = await environment.heldOutTasks(1, 1)
  const answer = task?.problem.answer ?? ''
  const { passAt1, predicted } = await measured(answer)
  expect([passAt1 > 0, predicted]).toEqual([true, passAt1])
  expect(await measured(answer, false)).toMatchObject({ passAt1: 0, predicted: 0, reward: 0 })
})
