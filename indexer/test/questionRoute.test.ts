import { buildSchema, print } from 'graphql'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answerFault } from '../src/api/answerFault.ts'
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

test('variables nested too deep are refused, before anything walks them', async () => {
  const asked = (depth: number) =>
    ask(`{ "query": "{ peer { name } }", "variables": { "a": ${'['.repeat(depth)}${']'.repeat(depth)} } }`)
  expect((await asked(20)).status).toBe(200)
  const refused = await asked(15_000)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toEqual({ errors: [{ message: 'Its variables are more than 20 deep.' }] })
})

test('a null character is refused, in a text, a variable or a cursor', async () => {
  const cursor = btoa('{"json":{"peerId":"a\\u0000"}}')
  for (const [query, variables] of [
    ['{ peer(peerKey: "a\\u0000") { name } }', {}],
    ['{ peer { name } }', { where: { OR: [{ name_in: ['a\0'] }] } }],
    ['{ peer { name } }', { after: cursor }],
    [`{ peers(before: "${cursor}") { totalCount } }`, {}],
  ] as const)
    expect((await ask(JSON.stringify({ query, variables }))).status, query).toBe(400)
})

test('an answer of a route that throws tells no paths', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void warn.mockRestore())
  const failing = new Hono().onError(answerFault).get('/graphql', () => {
    throw new Error('at /srv/waggle/indexer/src/api/index.ts:1')
  })
  const answer = await failing.request('/graphql')
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('/srv')
  expect(warn).toHaveBeenCalledOnce()
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
    answerRoute(schema, () => ({ atRest: async () => {} })),
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
  const answer = async (query: string, remoteAddress = '::1') => {
    const request = { method: 'POST', body: JSON.stringify({ query }) }
    return (await slow.request('/graphql', request, { incoming: { socket: { remoteAddress } } })).status
  }
  const ask = (address: string) => answer('{ peers { items { scores { totalCount } } } }', address)
  // Ten of a dashboard, of which eight have a place; two of one address; eight of others, of which seven find one.
  const addresses = [...Array(10).fill('127.0.0.1'), '203.0.113.1', '203.0.113.1', ...others(8)]
  const large = addresses.map(ask)
  expect(await answer(SMALL)).toBe(200)
  open()
  const statuses = await Promise.all(large)
  expect(most).toBe(1)
  const refused = statuses.flatMap((status, place) => (status === 503 ? [place] : []))
  expect(refused).toEqual([8, 9, 11, 19])
  expect(await ask('203.0.113.1')).toBe(200)
})

const others = (count: number) => Array.from({ length: count }, (_, at) => `203.0.113.${at + 2}`)

const SMALL = '{ peer(peerKey: "0xA") { name } }'
