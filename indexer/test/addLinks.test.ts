import { buildSchema, type GraphQLSchema, graphql } from 'graphql'
import { expect, test } from 'vitest'
import { addLinks } from '../src/api/addLinks.ts'

const TABLES = `
  type Query { peers: peerPage! bets(where: betFilter): betPage! }
  input betFilter { account: String }
  type peerPage { items: [peer!]! }
  type peer { account: String! }
  type betPage { items: [bet!]! }
  type bet { choice: Int! }`

function answer(schema: GraphQLSchema, field: 'peers' | 'bets', resolve: (where?: { account: string }) => unknown) {
  const found = schema.getQueryType()?.getFields()[field]
  if (found !== undefined) found.resolve = (_, { where }) => resolve(where)
}

test('a link to a list that fails is null alone, and the other rows stay', async () => {
  const schema = buildSchema(TABLES)
  answer(schema, 'peers', () => ({ items: [{ account: '0xa' }, { account: '0xb' }] }))
  answer(schema, 'bets', async where => {
    if (where?.account === '0xa') throw new Error('refused')
    return { items: [{ choice: 2 }] }
  })
  addLinks(schema, { peer: { bets: { to: 'bets', by: { account: 'account' } } } })
  const { data, errors } = await graphql({
    schema,
    source: '{ peers { items { account bets { items { choice } } } } }',
  })
  expect(errors).toMatchObject([{ path: ['peers', 'items', 0, 'bets'] }])
  expect(data).toEqual({
    peers: {
      items: [
        { account: '0xa', bets: null },
        { account: '0xb', bets: { items: [{ choice: 2 }] } },
      ],
    },
  })
})
