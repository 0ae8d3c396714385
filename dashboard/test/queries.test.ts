import { createRequire } from 'node:module'
import type * as GraphQL from 'graphql'
import {
  type AppRouterInstance as AppRouter,
  AppRouterContext,
} from 'next/dist/shared/lib/app-router-context.shared-runtime.js'
import { createElement } from 'react'
import { renderToReadableStream } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findPeer } from '#sources/findPeer.ts'
import { getFeed } from '#sources/getFeed.ts'
import { getGame, getGames } from '#sources/getGames.ts'
import { getPeerNames } from '#sources/getPeerNames.ts'
import { getPeerRecord } from '#sources/getPeerRecord.ts'
import { getRoles, ROLE_PEERS } from '#sources/getRoles.ts'
import { getRoundRecord } from '#sources/getRoundRecord.ts'
import { getRounds } from '#sources/getRounds.ts'
import { getStandings } from '#sources/getStandings.ts'
import { getBettor } from '#sources/market/getBettor.ts'
import { getMarketRoles } from '#sources/market/getMarketRoles.ts'
import * as tables from '../../indexer/ponder.schema.ts'
import { FEW_READS, questionCost } from '../../indexer/src/api/questionCost.ts'
import { INDEXED } from '../../indexer/src/api/questionScans.ts'
import { getHomeData } from '../src/app/(swarm)/getHomeData.ts'
import HomePage from '../src/app/(swarm)/page.tsx'
import { answers } from './fixtures/indexerAnswers.ts'
import { evaluators, proposer, solvers } from './fixtures/swarm.ts'

// The very module that Ponder loads: another copy of it would refuse Ponder's schema.
const load = createRequire(import.meta.url)
const { parse, validate } = load('graphql') as typeof GraphQL
const { getVariableValues } = load('graphql/execution/values.js') as typeof import('graphql/execution/values.js')

interface Sent {
  query: string
  variables: Record<string, unknown>
}

// Ponder builds its API with this and does not export it.
const { buildGraphQLSchema } = load('../../node_modules/ponder/dist/esm/graphql/index.js') as {
  buildGraphQLSchema: (options: { schema: object }) => GraphQL.GraphQLSchema
}
const schema = buildGraphQLSchema({ schema: tables })
let sent: Sent | undefined
/** Queries of one test. */
let all: Sent[] = []

beforeEach(() => {
  all = []
  vi.stubEnv('WAGGLE_INDEXER_URL', 'http://127.0.0.1:1')
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const request: Sent = JSON.parse(body)
    sent = request
    all.push(request)
    const operation = /^query (\w+)/.exec(request.query)?.[1] ?? ''
    return Response.json({ data: answers[operation]?.(request.variables) })
  })
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

const board = { isWhole: false, limit: 20, offset: 0 }

const reads: Record<string, () => Promise<{ state: string }>> = {
  'the leaderboard': () => getStandings({ ...board, search: '' }),
  'a search': () => getStandings({ ...board, search: '50%_of\\', offset: 20 }),
  'the feed': () => getFeed(24),
  'the rounds': () => getRounds(25, 0),
  'the market': () => getGames(6, 0),
  'a game': () => getGame('1'),
  'a bettor': () => getBettor('0x70997970c51812dc3a010c7d01b50e0d17dc79c8'),
  'the roles': () => getRoles(),
  'the roles of the market': () => getMarketRoles(),
  'a round': () => getRoundRecord(39, 0),
  'a peer': () => getPeerRecord(solvers[0]?.peerKey ?? ''),
  'a peer by its name': () => findPeer(solvers[0]?.name ?? ''),
}

for (const [name, read] of Object.entries(reads)) {
  test(`the query of ${name} is one that the indexer answers`, async () => {
    expect((await read()).state).toBe('ready')
    for (const { query, variables } of all) {
      const document = parse(query)
      expect(validate(schema, document).map(error => error.message)).toEqual([])
      const operation = document.definitions.find(definition => definition.kind === 'OperationDefinition')
      const { errors } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables)
      expect(errors).toBeUndefined()
      const cost = questionCost(document, variables)
      expect(cost).toMatchObject({ rows: expect.any(Number) })
      // A large question waits for those of others, and may find no place.
      expect(typeof cost === 'string' ? cost : cost.reads).toBeLessThanOrEqual(FEW_READS)
    }
  })
}

test('columns that the cost of a question takes for indexed are of the schema', () => {
  const lists = Object.entries(INDEXED)
  const asked = `{ ${lists.map(([name, columns]) => `${name} { items { ${columns.join(' ')} } }`).join(' ')} }`
  expect(validate(schema, parse(asked)).map(error => error.message)).toEqual([])
})

test('peers are named by their keys in one query that the indexer answers', async () => {
  const [known] = solvers
  const keys = [known?.peerKey ?? '', `0x${'77'.repeat(32)}`]
  expect([...(await getPeerNames(keys))].map(([key, { name }]) => [key, name])).toEqual([[known?.peerKey, known?.name]])
  const { query, variables } = sent as Sent
  expect(validate(schema, parse(query))).toEqual([])
  expect(variables).toEqual({ keys, limit: 2 })
})

test('earnings of evaluators and proposers are requested by their keys, however many peers earn', async () => {
  await getRoles()
  const { keys, limit } = (sent as Sent).variables as { keys: string[]; limit: number }
  expect(keys).toEqual(expect.arrayContaining([...evaluators, proposer].map(({ peerKey }) => peerKey)))
  expect(limit).toBe(keys.length)
})

test('the roles of as many peers as are shown are read by small questions, each peer once', async () => {
  const keyOf = (at: number) => `0x${at.toString(16).padStart(64, '0')}`
  const proposers = Array.from({ length: ROLE_PEERS }, (_, at) => ({ peerKey: keyOf(at), peerId: 'p', name: 'n' }))
  const peers = { items: proposers.map(peer => ({ ...peer, roundsProposed: 1 })) }
  const keys: string[] = []
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body) as Sent
    if (!query.startsWith('query RoleFunds')) return Response.json({ data: { ...Object(answers.Roles?.({})), peers } })
    const asked = variables.keys as string[]
    expect(asked.length).toBeLessThan(FEW_READS)
    expect(questionCost(parse(query), variables)).toMatchObject({ reads: asked.length + 1 })
    keys.push(...asked)
    const purses = asked.map(peerKey => ({ peerKey, openingWei: '1', taskWei: '2' }))
    return Response.json({ data: { stakes: { items: [] }, purses: { items: purses } } })
  })
  const part = await getRoles()
  expect(keys).toEqual(expect.arrayContaining(proposers.map(({ peerKey }) => peerKey)))
  expect(new Set(keys).size).toBe(keys.length)
  expect(part.state === 'ready' && part.data.purses.items).toHaveLength(keys.length)
})

test('the home page asks what a few peers have earned, in one question', async () => {
  await getHomeData({ search: '', page: 1, isWhole: false }).roles
  const roles = all.filter(({ query }) => query.startsWith('query Role'))
  expect(roles.map(({ variables }) => variables.limit)).toEqual([20, expect.any(Number)])
  expect(roles[0]?.variables.leaves).toBe(1)
})

test('the leaderboard of the home page is shown before what evaluators and proposers have earned', async () => {
  const answerOf = fetch
  vi.stubGlobal('fetch', (url: string, request: { body?: string }) =>
    request.body?.includes('query Role') ? new Promise(() => {}) : (answerOf as typeof fetch)(url, request as never),
  )
  const page = await HomePage({ searchParams: Promise.resolve({}) })
  const stream = await renderToReadableStream(createElement(AppRouterContext, { value: {} as AppRouter }, page), {
    // The end of the test aborts it.
    onError: () => {},
  })
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let shown = ''
  // React sends parts of a boundary as they are made, and puts it in place once all are there. The board's is the first that waits.
  while (!shown.includes('$RC("B:0",')) shown += (await reader.read()).value
  expect(shown).toContain('aria-labelledby="leaderboard"')
  await reader.cancel()
})

test('a board on which nobody has points yet has everybody', async () => {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { counted } = JSON.parse(body).variables
    asked.push(counted)
    const totalCount = counted.pointsMilli_gt === undefined ? 8 : 0
    return Response.json({
      data: { standings: { items: [] }, peers: { totalCount }, registered: { totalCount: 8 } },
    })
  })
  expect(await getStandings({ ...board, search: '' })).toEqual({
    state: 'ready',
    data: { total: 8, registered: 8, rows: [] },
  })
  expect(asked).toEqual([{ pointsMilli_gt: '0' }, {}])
})

test('characters with a meaning in SQL are searched for literally', async () => {
  await getStandings({ ...board, search: '50%_of\\' })
  expect(JSON.stringify(sent?.variables)).toContain(JSON.stringify('50\\%\\_of\\\\').slice(1, -1))
})
