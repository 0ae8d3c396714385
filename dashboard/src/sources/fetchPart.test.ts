import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { fetchPart } from './fetchPart.ts'
import { forward } from './forward.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Address of a server that answers so until the test ends. */
async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ask = (url: string, timeoutMs = 5_000) => fetchPart('indexer', url, '/', z.object({}), { timeoutMs })

test('a source that is late or too busy is slow, and one that is gone is unreachable', async () => {
  expect(await ask(await serve(() => {}), 50)).toMatchObject({ state: 'down', trouble: 'slow' })
  expect(await ask(await serve(response => response.writeHead(503).end()))).toMatchObject({ trouble: 'slow' })
  expect(await ask(await serve(response => response.writeHead(500).end()))).toMatchObject({ trouble: 'unreachable' })
  expect(await ask('http://127.0.0.1:1')).toMatchObject({ trouble: 'unreachable' })
})

test('an index that gives up a question is slow, and one that refuses it is not understood', async () => {
  const errors = (message: string) => serve(response => response.end(JSON.stringify({ errors: [{ message }] })))
  const query = async (message: string) => {
    vi.stubEnv('WAGGLE_INDEXER_URL', await errors(message))
    return queryIndexer('query Any { any }', {}, z.object({}))
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await query('It takes longer than 10 s: ask for less at a time.')).toMatchObject({ trouble: 'slow' })
  expect(await query('Cannot query field')).toMatchObject({ trouble: 'unreadable' })
})

test('no source leads to another by a redirect, and whoever asked is told what to do', async () => {
  let followed = 0
  const target = await serve(response => {
    followed += 1
    response.end('{}')
  })
  const source = await serve(response => response.writeHead(307, { location: target }).end())
  expect(await ask(source)).toMatchObject({ state: 'down', trouble: 'unreachable' })
  const answer = await forward(new Request('http://dashboard/rpc', { method: 'POST', body: '{}' }), source, '{}')
  expect([answer.status, await answer.json()]).toEqual([
    502,
    { error: 'the source redirects: give this dashboard its final URL' },
  ])
  expect(followed).toBe(0)
})
