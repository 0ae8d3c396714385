import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMessageQueue } from './messageQueue.ts'

test('messages that come at once are handled in order, one on each turn of the event loop', async () => {
  const queue = createMessageQueue()
  const handled: string[] = []
  const burst = Array.from({ length: 6 }, async (_, index) => {
    await queue.enter()
    handled.push(`message ${index}`)
    // Messages that follow at once belong to the same tick.
    await Promise.resolve()
    handled.push('its end')
  })
  const loop = (async () => {
    while (handled.filter(one => one === 'its end').length < 6) {
      await setImmediate()
      handled.push('turn')
    }
  })()
  await Promise.all([...burst, loop])
  const spells = handled.join().split('turn')
  const expected = Array.from({ length: 6 }, (_, index) => `message ${index}`)
  expect(handled.filter(one => one.startsWith('message'))).toEqual(expected)
  for (const spell of spells) expect(spell.match(/message/g)?.length ?? 0).toBeLessThanOrEqual(1)
  for (const spell of spells) expect(spell.includes('message')).toBe(spell.includes('its end'))
})
