import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { describeTokenizer, openChatTokenizer } from '#environments/chatTokenizer.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { labelledPairs } from '#environments/codezero/judge/labelledPairs.ts'
import { servedJudge } from '#environments/codezero/judge/servedJudge.ts'
import { judgeMessages } from '#environments/codezero/judge/trueFalseJudge.ts'
import { loadChatEnvironment } from '#environments/codezero/kind.ts'
import { type ChatPrompts, chatFormat } from '#environments/codezero/promptFormat.ts'
import { answerText } from '#environments/codezero/prompts.ts'
import { createChatServer } from '#hub/chatServer/chatServer.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import { writeChatModel } from '../../../test/chatModelFolder.ts'
import { codeZeroSpec } from '../../../test/specification/codeZeroProbes.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-served-judge-'))
const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

test('A peer samples its base in its own process to examine the server that judges, once it answers, and refuses it without functions; a sound one scores.', async () => {
  await writeChatModel(folder, 'solver')
  const { tokenizerHash, vocabSize } = await describeTokenizer(folder)
  const full = codeZeroSpec(tokenizerHash, vocabSize)
  const spec = { ...full, solving: { ...full.solving, maxNewTokens: 4 } }
  if (spec.judge.kind !== 'trueFalse') throw new TypeError('not of chat models')
  const right = new Set<string>()
  const near = labelledPairs(128, 'served judge')
  for (const pair of near) if (pair.isRight) right.add(JSON.stringify(await judgeMessages(spec.judge, pair)))
  const problem = { name: 'f', parameters: ['a'], text: 'Return a plus 1.' }
  const code = 'def f(a):\n    return a + 1\n'
  right.add(JSON.stringify(await judgeMessages(spec.judge, { problem, code })))

  let requests = 0
  const server = createServer(async (request, response) => {
    requests++
    const { messages } = JSON.parse(await text(request))
    const odds = right.has(JSON.stringify(messages)) ? 2 : -2
    const top_logprobs = Object.entries({ true: odds - 3, false: -3 }).map(([token, logprob]) => ({ token, logprob }))
    response.end(JSON.stringify({ choices: [{ logprobs: { content: [{ top_logprobs }] } }] }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#judge`
  const served = createChatServer({ address: parseServerUrl(url, false), clock: systemClock })
  const down = new ChatServerError('SERVER_OFFLINE', 'x cannot be reached.')

  let [sampled, isUp] = [0, false]
  const runCode = async (cases: readonly unknown[]) => {
    sampled++
    return cases.map(() => [])
  }
  const environment = await loadChatEnvironment(spec, {
    ...{ modelFolder: folder, judgeFolder: null },
    judgeServer: {
      ...{ ...served, runCode, threads: 1 },
      chooseWord: (...asked) => (isUp ? served.chooseWord(...asked) : Promise.reject(down)),
    },
  })
  await expect(environment.openJudge(null)).rejects.toBe(down)
  isUp = true
  // Nothing that a random model writes is a function.
  for (let start = 0; start < 2; start++)
    await expect(environment.openJudge(null)).rejects.toMatchObject({
      code: 'ENVIRONMENT_MISMATCH',
      message: expect.stringContaining('Only 0 answers'),
    })
  expect([requests, sampled]).toEqual([128, 1])

  const tokenizer = await openChatTokenizer(folder, spec.prompts as ChatPrompts)
  const { judge: rule } = spec
  const sound = codeZero({
    ...{ spec, format: chatFormat(tokenizer, spec.prompts as ChatPrompts), solverFolder: folder, judgeModel: null },
    openCodeJudge: () => Promise.reject(new RangeError('no model judges')),
    openServedJudge: () => servedJudge(served, rule, async () => near.slice(0, 32)),
  })
  const judge = await sound.openJudge(null)
  expect(judge.measured).toMatchObject({ balancedAccuracy: 1, pairs: 160, samples: 32 })
  const [good, bad] = await judge.score(
    [code, code.replace('1', '2')].map(one => ({ problem, text: answerText(one), ended: true })),
  )
  expect(good?.correctness).toBeGreaterThan(0.8)
  expect(bad?.correctness).toBeLessThan(0.2)
})
