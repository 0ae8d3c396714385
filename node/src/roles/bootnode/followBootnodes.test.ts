import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { followBootnodes } from './followBootnodes.ts'

const [first, second, third] = [1, 2, 3].map(host => `/ip4/203.0.113.${host}/tcp/1`) as [string, string, string]

/** Follows a list that a test changes, and tells what the network was given. */
function scene() {
  const clock = createManualClock()
  const stop = new AbortController()
  const given: (readonly string[])[] = []
  const state = { listed: [first], isAlone: true, reads: 0, fails: false }
  const alone = { reason: 'nobody known', found: '', advice: '' } as const
  const done = followBootnodes({
    network: {
      setBootnodes: addresses => void given.push(addresses),
      connectivity: () => ({ peers: state.isAlone ? 0 : 1, alone: state.isAlone ? alone : null }),
    },
    async readBootnodes() {
      state.reads += 1
      if (state.fails) throw new Error('no endpoint')
      return state.listed
    },
    ...{ named: [third], listed: [first], clock, logger: silentLogger, signal: stop.signal },
  })
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 30) {
      while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
      clock.advance(30_000)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  function end(): Promise<void> {
    stop.abort()
    return done
  }
  return { state, given, pass, end }
}

test('a peer that is alone takes a bootnode that is listed while it runs, with those that its operator named', async () => {
  const { state, given, pass, end } = scene()
  await pass(60)
  expect(given).toEqual([])
  state.listed = [first, second, 'not a multiaddr']
  await pass(60)
  expect(given).toEqual([[third, first, second]])
  state.fails = true
  await pass(60)
  expect(given.length).toBe(1)
  await end()
})

test('a peer that is connected asks every ten minutes', async () => {
  const { state, given, pass, end } = scene()
  state.isAlone = false
  state.listed = [second]
  await pass(570)
  expect(state.reads).toBe(0)
  await pass(60)
  expect([state.reads, given]).toEqual([1, [[third, second]]])
  await end()
})
