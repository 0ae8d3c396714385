import { expect, test } from 'vitest'
import { mapYielding } from './mapYielding.ts'
import { createYield } from './yieldToEventLoop.ts'

/** A clock that work moves on, and an event loop that counts its turns. */
function slowMachine() {
  const machine = { nowMs: 0, turns: 0, longestMs: 0 }
  let begunMs = 0
  const yieldNow = createYield(
    () => machine.nowMs,
    wake =>
      setImmediate(() => {
        machine.turns++
        machine.longestMs = Math.max(machine.longestMs, machine.nowMs - begunMs)
        begunMs = machine.nowMs
        wake()
      }),
  )
  const workFor = (ms: number) => {
    machine.nowMs += ms
  }
  return { machine, yieldNow, workFor }
}

test('items are read in order, with a turn of the event loop whenever some milliseconds have gone', async () => {
  const { machine, yieldNow, workFor } = slowMachine()
  const read = async (item: number) => {
    workFor(1)
    return item * 2
  }
  expect(await mapYielding([1, 2, 3, 4, 5, 6, 7, 8, 9], read, yieldNow)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18])
  expect(machine.turns).toBe(3)
  expect(machine.longestMs).toBe(4)
})

test('items that cost nothing wait for one turn at most', async () => {
  const { machine, yieldNow } = slowMachine()
  const many = Array.from({ length: 1000 }, (_, at) => at)
  expect(await mapYielding(many, item => item, yieldNow)).toEqual(many)
  expect(machine.turns).toBe(1)
})

test('work that runs side by side shares the time between two turns, and none waits for all of another', async () => {
  const { machine, yieldNow, workFor } = slowMachine()
  const done: string[] = []
  const work = (name: string) =>
    mapYielding(
      [1, 2, 3],
      item => {
        workFor(3)
        done.push(`${name}${item}`)
      },
      yieldNow,
    )
  await Promise.all(['a', 'b', 'c', 'd'].map(work))
  expect(machine.longestMs).toBeLessThanOrEqual(6)
  expect(done).toHaveLength(12)
  expect(done.indexOf('d1')).toBeLessThan(done.indexOf('a3'))
})

test('an error of an item ends the mapping', async () => {
  const { yieldNow } = slowMachine()
  const read = (item: number) => {
    if (item === 2) throw new RangeError('two')
    return item
  }
  await expect(mapYielding([1, 2, 3], read, yieldNow)).rejects.toThrow('two')
})
