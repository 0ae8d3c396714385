import { parse, print } from 'graphql'
import { keccak256, stringToBytes } from 'viem'
import { expect, test } from 'vitest'
import { plainKeys } from '../src/api/plainKeys.ts'

const ID = `16Uiu2HAm${'a'.repeat(44)}`
const KEY = keccak256(stringToBytes(ID))
const ACCOUNT = `0x${'aB'.repeat(20)}`

async function asked(query: string, variables: Record<string, unknown> = {}) {
  const names: string[] = []
  const question = await plainKeys({ document: parse(query), variables }, async name => {
    names.push(name)
    return name === 'small red bee' ? [`0x${'11'.repeat(32)}`] : name === 'two red bees' ? ['0x1', '0x2'] : []
  })
  return { query: print(question.document).replace(/\s+/g, ' '), variables: question.variables, names }
}

test('addresses and keys are read in any case, in texts and in variables', async () => {
  const { query } = await asked(`{ peers(where: { OR: [{ account: "${ACCOUNT}" }] }) { items { name } } }`)
  expect(query).toContain(ACCOUNT.toLowerCase())
  const { variables } = await asked('query Q($where: peerFilter) { peers(where: $where) { totalCount } }', {
    where: { account_in: [ACCOUNT], name: 'AbC' },
  })
  expect(variables).toEqual({ where: { account_in: [ACCOUNT.toLowerCase()], name: 'AbC' } })
})

test("a peer's id and name stand for its key where a key is asked for, and for nothing else", async () => {
  expect((await asked(`{ peer(peerKey: "${ID}") { name } }`)).query).toContain(KEY)
  expect((await asked(`{ peers(where: { peerId: "${ID}" }) { totalCount } }`)).query).toContain(ID)
  const named = await asked(
    '{ votes(where: { evaluatorKey_in: ["small red bee", "two red bees", "no such bee"] }) { totalCount } }',
  )
  expect(named.query).toContain(`["0x${'11'.repeat(32)}", "two red bees", "no such bee"]`)
  expect((await asked('{ peers(where: { name: "small red bee" }) { totalCount } }')).names).toEqual([])
  const { variables } = await asked(
    'query Q($key: String!, $id: String) { peer(peerKey: $key) { name } peers(where: { peerId: $id }) { totalCount } }',
    { key: ID, id: ID },
  )
  expect(variables).toEqual({ key: KEY, id: ID })
})

test('one question resolves a limited number of names', async () => {
  const keys = Array.from(
    { length: 100 },
    (_, at) => `bee ${'abcdefghij'[at % 10]} ${'abcdefghij'[Math.floor(at / 10)]}`,
  )
  const { names } = await asked('query Q($keys: [String]) { peers(where: { peerKey_in: $keys }) { totalCount } }', {
    keys,
  })
  expect(names).toHaveLength(20)
})
