import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import { forward, forwardToFirst } from './forward.ts'
import { queryIndexer } from './queryIndexer.ts'

/** Address of a server that answers so until the test ends. */
async function serve(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => answer(response, request))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ask = (url: string, timeoutMs = 5_000) => fetchPart('indexer', url, '/', z.object({}), { timeoutMs })

test('a source that is late or too busy is slow, one that is gone is unreachable, and one that fails refuses', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await ask(await serve(() => {}), 50)).toMatchObject({ state: 'down', trouble: 'slow' })
  const troubles = [
    [503, 'slow'],
    [429, 'slow'],
    [502, 'unreachable'],
    [500, 'refused'],
    [400, 'refused'],
  ] as const
  for (const [status, trouble] of troubles) {
    expect(await ask(await serve(response => response.writeHead(status).end()))).toMatchObject({ trouble })
    expect(said).toHaveBeenLastCalledWith(expect.stringMatching(`answered ${status} to /$`))
  }
  expect(await ask('http://127.0.0.1:1')).toMatchObject({ trouble: 'unreachable' })
})

test('an index that gives up a question is slow, one that fails to answer refuses it, and one of another version is not understood', async () => {
  const query = async (message: string, data?: object | null) => {
    const answer = JSON.stringify({ errors: [{ message }], data })
    vi.stubEnv('WAGGLE_INDEXER_URL', await serve(response => response.end(answer)))
    return queryIndexer('query Any { any }', {}, z.object({ any: z.string().nullable() }))
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  const late = 'It takes longer than 10 s: ask for less at a time.'
  for (const data of [null, { any: null }]) {
    expect(await query(late, data)).toMatchObject({ trouble: 'slow' })
    expect(await query('invalid byte sequence', data)).toMatchObject({ trouble: 'refused' })
  }
  expect(await query('Cannot query field')).toMatchObject({ trouble: 'unreadable' })
})

test('credentials of a source reach it in a header, and neither a page nor the log', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const seen: unknown[] = []
  const origin = await serve((response, { url, headers }) => {
    seen.push([url, headers.authorization])
    response.end('7')
  })
  const secret = `${origin.replace('//', '//me:pass-word@')}/the-key`
  expect(await ask(secret)).toEqual({ state: 'down', source: 'indexer', trouble: 'unreadable', url: origin })
  expect(said.mock.calls.join()).not.toMatch(/pass-word|the-key/)
  const request = new Request('http://dashboard/rpc', { method: 'POST', body: '{}' })
  expect(await (await forward(request, secret, '{}')).json()).toBe(7)
  expect(seen).toEqual([
    ['/the-key/', 'Basic bWU6cGFzcy13b3Jk'],
    ['/the-key', 'Basic bWU6cGFzcy13b3Jk'],
  ])
  expect(await ask('http://me:pass-word@127.0.0.1:1/the-key')).toMatchObject({ url: 'http://127.0.0.1:1' })
})

test('a call to the chain goes to the first endpoint that answers it', async () => {
  const good = await serve(response => response.end('"good"'))
  const refusing = await serve(response => response.writeHead(429).end())
  const call = (urls: string[]) => {
    const request = new Request('http://dashboard/rpc', { method: 'POST', body: '{}' })
    return forwardToFirst(request, urls, '{}', 50)
  }
  let asked = 0
  const silent = await serve(() => {
    asked += 1
  })
  for (const bad of ['http://127.0.0.1:1', refusing, silent])
    expect(await (await call([bad, good])).json()).toBe('good')
  expect(asked).toBe(1)
  // It rests.
  expect(await (await call([silent, good])).json()).toBe('good')
  expect(asked).toBe(1)
  expect((await call([silent, refusing])).status).toBe(429)
  expect((await call([])).status).toBe(503)
})

test('the chain may have several endpoints, all of them well-formed', async () => {
  const urlsOf = (urls: string) => {
    vi.stubEnv('WAGGLE_RPC_URL', urls)
    return readEnvironment().rpcUrls
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(urlsOf('https://one.example/key/, https://two.example')).toEqual([
    'https://one.example/key',
    'https://two.example',
  ])
  expect(urlsOf('https://one.example,two')).toEqual([])
  expect(urlsOf('')).toEqual([])
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
