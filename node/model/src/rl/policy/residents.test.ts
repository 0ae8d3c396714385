import { expect, test } from 'vitest'
import { createResidents } from './residents.ts'

/** Loads and disposals of residents that take as many bytes as their name says. */
function kept(budgetBytes: number) {
  const events: string[] = []
  const residents = createResidents<{ name: string; dispose(): Promise<void> }>(budgetBytes)
  const load = (name: string) => async () => {
    events.push(`load ${name}`)
    return { name, dispose: async () => void events.push(`drop ${name}`) }
  }
  const bytesOf = (name: string) => Number(name.slice(1))
  return {
    events,
    residents,
    use: (name: string, turn?: string) =>
      residents.use(name, { bytes: bytesOf(name), turn }, load(name), async ({ name: given }) => given),
  }
}

test('residents that fit stay, and the least recently used one is evicted for the next', async () => {
  const { use, events } = kept(10)
  for (const name of ['a4', 'b4', 'a4']) expect(await use(name)).toEqual({ value: name })
  expect(events).toEqual(['load a4', 'load b4'])
  await use('c4')
  expect(events.slice(2)).toEqual(['drop b4', 'load c4'])
  // As many as necessary go, and no more.
  await use('d2')
  await use('e9')
  expect(events.slice(4)).toEqual(['load d2', 'drop a4', 'drop c4', 'drop d2', 'load e9'])
})

test('a resident that exceeds the budget is disposed of after its use, and with no budget each is', async () => {
  const small = kept(3)
  await small.use('a4')
  expect(small.events).toEqual(['load a4', 'drop a4'])
  const none = kept(0)
  await none.use('a1')
  await none.use('a1')
  expect(none.events).toEqual(['load a1', 'drop a1', 'load a1', 'drop a1'])
})

test('in a turn each is loaded once, however often they are asked for in turn', async () => {
  const { use, events } = kept(4)
  for (let i = 0; i < 3; i++) for (const name of ['a4', 'b4']) await use(name, 'votes of round 7')
  expect(events.filter(event => event.startsWith('load'))).toEqual(['load a4', 'load b4'])
  expect(await use('a4', 'votes of round 7')).toBeNull()
  // The one that is still there may be used, and another turn loads again.
  expect(await use('b4', 'votes of round 7')).toEqual({ value: 'b4' })
  expect(await use('a4', 'appeals of round 7')).toEqual({ value: 'a4' })
})

test('a turn whose resident another turn evicts loads it again, and one that evicts its own does not', async () => {
  const { use, events } = kept(4)
  const [votes, appeals] = ['votes of round 7', 'appeals of round 7']
  for (let i = 0; i < 3; i++) {
    expect(await use('a4', votes)).toEqual({ value: 'a4' })
    expect(await use('b4', appeals)).toEqual({ value: 'b4' })
  }
  expect(events.filter(event => event.startsWith('load'))).toEqual(Array(3).fill(['load a4', 'load b4']).flat())
  expect(await use('a4', votes)).toEqual({ value: 'a4' })
  expect(await use('c4', votes)).toEqual({ value: 'c4' })
  expect(await use('a4', votes)).toBeNull()
})

test('a load that fails counts, and an error of the work disposes of nothing', async () => {
  const { residents, use, events } = kept(4)
  const failing = () => Promise.reject(new Error('no memory'))
  const never = async () => 'never'
  await expect(residents.use('a4', { bytes: 4, turn: 'one' }, failing, never)).rejects.toThrow('no memory')
  expect(await use('a4', 'one')).toBeNull()
  await use('b4', 'one')
  const broken = residents.use('b4', { bytes: 4, turn: 'one' }, failing, () => Promise.reject(new Error('his input')))
  await expect(broken).rejects.toThrow('his input')
  expect(await use('b4', 'one')).toEqual({ value: 'b4' })
  expect(events).toEqual(['load b4'])
})

test('calls wait for each other, and disposal for all of them', async () => {
  const { use, events, residents } = kept(4)
  await Promise.all([use('a4'), use('b4'), use('a4')])
  await residents.dispose()
  expect(events).toEqual(['load a4', 'drop a4', 'load b4', 'drop b4', 'load a4', 'drop a4'])
})
