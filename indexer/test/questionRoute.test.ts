import { buildSchema } from 'graphql'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { questionRoute } from '../src/api/questionRoute.ts'

const app = new Hono()
app.use(
  '/graphql',
  questionRoute(
    async () => [],
    async () => buildSchema('"What is asked." type Query { peer: Int }'),
  ),
  async context => context.json(await context.req.raw.json()),
)
const ask = (body: string | ReadableStream) =>
  app.request('/graphql', { method: 'POST', body, duplex: 'half' } as RequestInit)

test('a question reaches Ponder in one piece or several', async () => {
  const text = JSON.stringify({ query: '{ peer(peerKey: "0xA") { name } }', operationName: 'é' })
  const bytes = new TextEncoder().encode(text)
  const stream = ReadableStream.from([...bytes].map(byte => Uint8Array.of(byte)))
  for (const body of [text, stream])
    expect(await (await ask(body)).json()).toMatchObject({ query: expect.stringContaining('peer'), operationName: 'é' })
})

test('an endless request body is read only up to the limit of a question', async () => {
  let pieces = 0
  const endless = new ReadableStream({
    pull(controller) {
      if (++pieces > 1_000) return controller.close()
      controller.enqueue(new Uint8Array(16_384).fill(32))
    },
  })
  expect((await ask(endless)).status).toBe(400)
  expect(pieces).toBeLessThan(6)
})

test('what is asked of the schema alone is answered with its descriptions, and nothing else is', async () => {
  const asked = async (query: string) => (await ask(JSON.stringify({ query }))).json()
  const type = '__type(name: "Query") { description }'
  expect(await asked(`{ ${type} }`)).toEqual({ data: { __type: { description: 'What is asked.' } } })
  expect(await asked(`{ again: ${type} }`)).toMatchObject({ query: `{ again: ${type} }` })
  expect(await asked(`{ peer ${type} }`)).toMatchObject({ query: `{ peer ${type} }` })
})
