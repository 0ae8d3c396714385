import { buildSchema, print } from 'graphql'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { answerRoute } from '../src/api/answerRoute.ts'
import { questionRoute } from '../src/api/questionRoute.ts'

const app = new Hono()
app.use(
  '/graphql',
  questionRoute(async () => []),
  async context => {
    const { document, ...rest } = context.get('question')
    return context.json({ query: print(document), ...rest })
  },
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

test('a question is answered by the schema, and what does not fit it is refused before anything is read', async () => {
  const { app: answering, reads } = createAnswering()
  const asked = async (query: string) =>
    (await answering.request('/graphql', { method: 'POST', body: JSON.stringify({ query }) })).json()
  const type = '__type(name: "Query") { description }'
  expect(await asked(`{ peer ${type} }`)).toEqual({ data: { peer: 1, __type: { description: 'What is asked.' } } })
  expect(await asked('{ peer broken }')).toEqual({ errors: [{ message: expect.stringContaining('broken') }] })
  expect(await asked('mutation { peer }')).toMatchObject({ errors: [{ message: expect.any(String) }] })
  expect(await asked('subscription { peer }')).toMatchObject({ errors: [{ message: expect.any(String) }] })
  expect(reads()).toBe(1)
})

function createAnswering() {
  let count = 0
  const schema = buildSchema('"What is asked." type Query { peer: Int }')
  const peer = schema.getQueryType()?.getFields().peer
  if (peer !== undefined) peer.resolve = () => ++count
  const answering = new Hono()
  const question = questionRoute(async () => [])
  answering.use(
    '/graphql',
    question,
    answerRoute(schema, () => ({})),
  )
  return { app: answering, reads: () => count }
}

test('large questions run one after the other, next to small ones, and so many wait at most', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let [running, most] = [0, 0]
  const slow = new Hono()
  const route = questionRoute(async () => [])
  slow.use('/graphql', route, async context => {
    if (print(context.get('question').document).includes('peer(')) return context.json('small')
    most = Math.max(most, ++running)
    await gate
    running -= 1
    return context.json('large')
  })
  const answer = async (query: string) =>
    (await slow.request('/graphql', { method: 'POST', body: JSON.stringify({ query }) })).status
  const large = Array.from({ length: 20 }, () => answer('{ peers { items { scores { totalCount } } } }'))
  expect(await answer(SMALL)).toBe(200)
  open()
  const statuses = await Promise.all(large)
  expect([most, statuses.filter(status => status === 200).length]).toEqual([1, 16])
  expect(statuses.filter(status => status === 503)).toHaveLength(4)
})

const SMALL = '{ peer(peerKey: "0xA") { name } }'
