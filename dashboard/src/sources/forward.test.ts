import { afterEach, expect, test, vi } from 'vitest'
import { forwardToFirst } from './forward.ts'

afterEach(() => vi.unstubAllGlobals())

/** Two endpoints, of which the first answers with these statuses, then with 200. @returns a call that tells who was asked. */
function endpoints(name: string, statuses: number[]) {
  const urls = [`http://${name}-first.test/`, `http://${name}-second.test/`]
  const types: (string | null)[] = []
  let asked: string[] = []
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Headers }) => {
    asked.push(String(url).includes('first') ? 'first' : 'second')
    types.push(headers.get('content-type'))
    const status = String(url).includes('first') ? (statuses.shift() ?? 200) : 200
    if (status === 0) throw new Error('unreachable')
    return new Response('{}', { status })
  })
  const call = async (type = 'application/json') => {
    asked = []
    const headers = { 'content-type': type }
    await forwardToFirst(new Request('http://dashboard.test/rpc', { method: 'POST', headers }), urls, '{}')
    return asked
  }
  return { call, types }
}

test('an endpoint that refuses a call is asked first again; one that is down, busy or failing is not', async () => {
  for (const status of [400, 413, 415]) {
    const { call } = endpoints(`refuses${status}`, [status])
    expect(await call()).toEqual(['first', 'second'])
    expect(await call(), `${status}`).toEqual(['first'])
  }
  for (const status of [0, 429, 500, 503]) {
    const { call } = endpoints(`fails${status}`, [status])
    expect(await call()).toEqual(['first', 'second'])
    expect(await call(), `${status}`).toEqual(['second'])
  }
})

test('calls are sent as JSON, whatever type the reader gives', async () => {
  const { call, types } = endpoints('types', [])
  await call('text/plain')
  expect(types).toEqual(['application/json'])
})
