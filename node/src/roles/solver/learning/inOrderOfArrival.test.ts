import { expect, test } from 'vitest'
import { inOrderOfArrival } from './inOrderOfArrival.ts'

/** What came, by name. */
async function namesOf(arriving: AsyncIterable<{ own: string } | { other: string }>) {
  const names: string[] = []
  for await (const arrival of arriving) names.push('own' in arrival ? arrival.own : arrival.other)
  return names
}

async function* given(...names: string[]) {
  yield* names
}

test('existing own groups come first', async () => {
  expect(await namesOf(inOrderOfArrival(Promise.resolve('own'), given('a', 'b')))).toEqual(['own', 'a', 'b'])
})

test('the order is that of arrival, whenever it is asked for', async () => {
  const [own, late] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const allButLate = Promise.withResolvers<void>()
  async function* others() {
    yield* ['a', 'b']
    allButLate.resolve()
    yield await late.promise
  }
  const arriving = inOrderOfArrival(own.promise, others())
  await allButLate.promise
  own.resolve('own')
  await own.promise
  late.resolve('late')
  expect(await namesOf(arriving)).toEqual(['a', 'b', 'own', 'late'])
})

test('a failure of the others is thrown after the own groups', async () => {
  const own = Promise.withResolvers<string>()
  const failed = Promise.withResolvers<void>()
  async function* others() {
    yield 'a'
    failed.resolve()
    throw new Error('no chain')
  }
  const arriving = inOrderOfArrival(own.promise, others())
  await failed.promise
  own.resolve('own')
  expect((await arriving.next()).value).toEqual({ other: 'a' })
  expect((await arriving.next()).value).toEqual({ own: 'own' })
  await expect(arriving.next()).rejects.toThrow('no chain')
})
