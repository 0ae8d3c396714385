import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createAdmission } from './admission.ts'

/** A registry that knows ids with an R, and notes what it is asked. */
function scene(isDown = () => false) {
  const clock = createManualClock(1_000_000)
  const calls: string[][] = []
  const lookUp = async (peerIds: readonly string[]) => {
    calls.push([...peerIds])
    if (isDown()) throw new Error('down')
    return peerIds.map(id => id.startsWith('R'))
  }
  const admission = createAdmission({ lookUp, clock, logger: silentLogger })
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (let i = 0; i < 4; i += 1) await new Promise(resolve => setImmediate(resolve))
      clock.advance(1000)
    }
    for (let i = 0; i < 4; i += 1) await new Promise(resolve => setImmediate(resolve))
  }
  return { admission, calls, clock, pass }
}

test('1,800 unknown authors cost a call a second, and each source 64 of it at most', async () => {
  const { admission, calls, pass } = scene()
  const standings = Array.from({ length: 1800 }, (_, i) => admission.ask(`made up ${i}`, 'forwarder'))
  await pass(10)
  expect(calls.length).toBe(1)
  expect(calls[0]?.length).toBe(64)
  expect((await Promise.all(standings)).filter(one => one === 'busy').length).toBe(1800 - 64)
  // As fast as the queue empties, for a minute.
  for (let second = 0; second < 60; second += 1) {
    for (let i = 0; i < 100; i += 1) void admission.ask(`again ${second} ${i}`, 'forwarder')
    await pass(1)
  }
  expect(calls.length).toBeLessThanOrEqual(1 + 8 + 60)
})

test('one source that brings hundreds keeps no other from being asked about', async () => {
  const { admission, calls, pass } = scene()
  for (let i = 0; i < 64; i += 1) void admission.ask(`made up ${i}`, 'a')
  const honest = admission.ask('R honest', 'b')
  await pass(1)
  expect(await honest).toBe('registered')
  expect(calls[0]).toContain('R honest')
})

test('a newcomer is recognised in two calls, whatever messages name and however many subnets bring them', async () => {
  const { admission, calls, pass } = scene()
  for (let source = 0; source < 1_000; source += 1)
    for (let i = 0; i < 64; i += 1) void admission.ask(`made up ${source} ${i}`, `198.51.${source}.0/24`)
  void admission.ask('R named', '198.51.1.0/24')
  const newcomers = ['R named', 'R honest'].map(id => admission.ask(id, '203.0.113.0/24', 'newcomer'))
  await pass(2)
  expect(await Promise.all(newcomers)).toEqual(['registered', 'registered'])
  expect(calls.slice(0, 2).flat()).toContain('R honest')
})

test('registrations are not requested again: registered ones for good, unregistered ones for five seconds', async () => {
  const { admission, calls, clock } = scene()
  expect([await admission.ask('R', 's'), await admission.ask('R', 's')]).toEqual(['registered', 'registered'])
  expect([await admission.ask('x', 's'), await admission.ask('x', 's')]).toEqual(['unregistered', 'unregistered'])
  expect(calls).toEqual([['R'], ['x']])
  clock.advance(5000)
  await admission.ask('x', 's')
  expect(calls.length).toBe(3)
})

test('two that ask about one peer share its call', async () => {
  const { admission, calls } = scene()
  await Promise.all([admission.ask('R', 'a'), admission.ask('R', 'b')])
  expect(calls).toEqual([['R']])
})

test('a chain that cannot be asked makes nobody unregistered', async () => {
  let isDown = true
  const { admission } = scene(() => isDown)
  expect(await admission.ask('R', 's')).toBe('unknown')
  isDown = false
  expect(await admission.ask('R', 's')).toBe('registered')
})
