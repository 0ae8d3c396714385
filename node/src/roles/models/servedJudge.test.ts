import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { describeTokenizer } from '#environments/chatTokenizer.ts'
import { labelledPairs } from '#environments/codezero/judge/labelledPairs.ts'
import { judgeMessages } from '#environments/codezero/judge/trueFalseJudge.ts'
import { loadChatEnvironment } from '#environments/codezero/kind.ts'
import { answerText } from '#environments/codezero/prompts.ts'
import { createChatServer } from '#hub/chatServer/chatServer.ts'
import { parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import { writeChatModel } from '../../../test/chatModelFolder.ts'
import { codeZeroSpec } from '../../../test/specification/codeZeroProbes.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-served-judge-'))
const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

test('A peer samples its base in its own process to examine the server that judges, once, and is scored by it.', async () => {
  await writeChatModel(folder, 'solver')
  const { tokenizerHash, vocabSize } = await describeTokenizer(folder)
  const full = codeZeroSpec(tokenizerHash, vocabSize)
  const spec = { ...full, solving: { ...full.solving, maxNewTokens: 4 } }
  if (spec.judge.kind !== 'trueFalse') throw new TypeError('not of chat models')
  const right = new Set<string>()
  for (const pair of labelledPairs(128, 'served judge'))
    if (pair.isRight) right.add(JSON.stringify(await judgeMessages(spec.judge, pair)))
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

  let sampled = 0
  const runCode = async (cases: readonly unknown[]) => {
    sampled++
    return cases.map(() => [])
  }
  const environment = await loadChatEnvironment(spec, {
    ...{ modelFolder: folder, judgeFolder: null },
    judgeServer: { ...served, runCode, threads: 1 },
  })
  const judge = await environment.openJudge(null)
  // Nothing that a random model writes is a function.
  expect(judge.measured).toMatchObject({ balancedAccuracy: 1, pairs: 128, samples: 0 })
  expect([requests, sampled]).toEqual([128, 1])
  await environment.openJudge(null)
  expect(requests).toBe(128)
  const [good, bad] = await judge.score(
    [code, code.replace('1', '2')].map(one => ({ problem, text: answerText(one), ended: true })),
  )
  expect(good?.correctness).toBeGreaterThan(0.8)
  expect(bad?.correctness).toBeLessThan(0.2)
})
