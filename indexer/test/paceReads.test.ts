import { buildSchema, graphql } from 'graphql'
import { expect, test } from 'vitest'
import { createPace, paceReads } from '../src/api/paceReads.ts'

/** A schema whose lists take a second of a clock that the test sees. */
function slowSchema() {
  const schema = buildSchema('type Query { rows(limit: Int): RowPage _meta: Int } type RowPage { totalCount: Int }')
  const state = { nowMs: 0, running: 0, most: 0, reads: 0 }
  const { rows } = schema.getQueryType()?.getFields() ?? {}
  if (rows !== undefined)
    rows.resolve = async () => {
      state.most = Math.max(state.most, ++state.running)
      state.reads += 1
      await new Promise(resolve => setImmediate(resolve))
      state.nowMs += 1_000
      state.running -= 1
      return { totalCount: 1 }
    }
  paceReads(schema)
  const ask = (lists: number, limit = 'limit: 5') => {
    const asked = Array.from({ length: lists }, (_, at) => `a${at}: rows(${limit}) { totalCount }`)
    const source = `query Q${limit.includes('$') ? '($n: Int = -1)' : ''} { ${asked.join(' ')} }`
    return graphql({
      schema,
      source,
      contextValue: createPace(
        async () => {},
        () => state.nowMs,
      ),
    })
  }
  return { state, ask }
}

test('the lists of a question are read four at a time, and others have their turns', async () => {
  const { state, ask } = slowSchema()
  const answering = ask(8)
  let turns = 0
  const count = () => {
    turns += 1
    if (state.reads < 8) setImmediate(count)
  }
  setImmediate(count)
  expect((await answering).errors).toBeUndefined()
  expect(state).toMatchObject({ reads: 8, most: 4 })
  expect(turns).toBeGreaterThan(3)
})

test('a negative limit is refused, however it is given', async () => {
  const { state, ask } = slowSchema()
  for (const limit of ['limit: -1', 'limit: $n']) expect((await ask(1, limit)).errors?.[0]?.message).toMatch(/negative/)
  expect(state.reads).toBe(0)
})

test('the rest of a question is refused after ten seconds, and the parts before it are answered', async () => {
  const { state, ask } = slowSchema()
  const { data, errors } = await ask(30)
  expect(state.reads).toBeGreaterThanOrEqual(11)
  expect(state.reads).toBeLessThan(16)
  expect(Object.values(data ?? {}).filter(list => list !== null)).toHaveLength(state.reads)
  expect(new Set(errors?.map(({ message }) => message))).toEqual(
    new Set(['It takes longer than 10 s: ask for less at a time.']),
  )
})
