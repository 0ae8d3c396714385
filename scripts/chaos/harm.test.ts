import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answersSoon } from './harm.ts'

async function listen(refusals: number): Promise<string> {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    if (asked > refusals) response.end('well')
    else response.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a process that is slow to answer is well, and one that never does is not', async () => {
  expect(await answersSoon(await listen(2), 1)).toBe(true)
  expect(await answersSoon(await listen(100), 1)).toBe(false)
})
