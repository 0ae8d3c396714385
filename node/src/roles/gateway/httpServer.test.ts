import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '#core/logger.ts'
import { type Route, serveJson } from './httpServer.ts'
import { jsonPieces } from './jsonPieces.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(routes: readonly Route[]) {
  const server = await serveJson(0, routes, silentLogger)
  closing.push(() => server.close())
  const { port } = server.address() as AddressInfo
  return async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    return { status: response.status, body: await response.json() }
  }
}

test.each([
  {},
  { a: 1, b: 'é "', c: null, d: [], e: undefined, f: { g: [1, { h: [] }] } },
  { list: [1, 'two', null, undefined, { three: [3] }, [4]], last: true },
])('the pieces of %j are its JSON', body => {
  expect([...jsonPieces(body)].join('')).toBe(JSON.stringify(body))
})

test('an item of a list is a piece', () => {
  const groups = Array.from({ length: 1000 }, (_, index) => ({ index }))
  const pieces = [...jsonPieces({ round: 1, groups })]
  expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThan(20)
})

test('answers are JSON with their status; a failure does not end the server', async () => {
  const ask = await serve([
    { path: /^\/rounds\/(\d+)$/, answer: match => (match[1] === '7' ? { round: 7, groups: [{ text: 'x' }] } : null) },
    {
      path: /^\/fails$/,
      answer: () => {
        throw new Error('told to nobody')
      },
    },
    { path: /^\/unwritable$/, answer: () => ({ groups: [1n] }) },
  ])
  expect(await ask('/rounds/7')).toEqual({ status: 200, body: { round: 7, groups: [{ text: 'x' }] } })
  expect(await ask('/rounds/8')).toEqual({ status: 404, body: { error: 'nothing at /rounds/8' } })
  expect(await ask('/other')).toMatchObject({ status: 404 })
  expect(await ask('//')).toMatchObject({ status: 404 })
  expect(await ask('/rounds/7', { method: 'POST' })).toEqual({ status: 405, body: { error: 'GET only' } })
  const failed = await ask('/fails')
  expect(failed.status).toBe(500)
  expect(JSON.stringify(failed.body)).not.toContain('told to nobody')
  await expect(ask('/unwritable')).rejects.toThrow()
  expect(await ask('/rounds/7')).toMatchObject({ status: 200 })
})
