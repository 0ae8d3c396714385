import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { type Alert, createAlerts } from './alerts.ts'
import { wellPeer as well } from './testPeerState.ts'
import type { PeerState } from './watchPeer.ts'

function watched() {
  const clock = createManualClock()
  const sent: string[] = []
  const refuses = { now: false }
  const told: Alert[] = []
  const send = async (one: Alert) => {
    const { alert, state } = one
    if (refuses.now) throw new Error('not now')
    sent.push(`${alert} ${state}`)
    told.push(one)
  }
  const alerts = createAlerts({ send, clock, logger: silentLogger })
  const look = async (changes: Partial<PeerState>) => {
    await alerts.look({ ...well, ...changes })
    return sent.splice(0)
  }
  return { clock, look, refuses, told }
}

test.each<[string, Partial<PeerState>]>([
  ['behind', { pastRoundSec: 101 }],
  ['low funds', { balanceEth: 0.001 }],
  ['disk', { freeBytes: 1000 }],
])('%s is told once, and once that it is over', async (name, wrong) => {
  const { look } = watched()
  expect(await look({})).toEqual([])
  expect(await look(wrong)).toEqual([`${name} firing`])
  expect(await look(wrong)).toEqual([])
  // An unknown state ends no alert.
  expect(await look({ balanceEth: null, freeBytes: null, pastRoundSec: name === 'behind' ? 101 : -5 })).toEqual([])
  expect(await look({})).toEqual([`${name} resolved`])
  expect(await look({})).toEqual([])
})

test('a gateway without coin is not reported: it sends nothing', async () => {
  const { look } = watched()
  expect(await look({ role: 'gateway', balanceEth: 0 })).toEqual([])
})

test('a peer that runs twice raises an alert with the evidence and what to do', async () => {
  const { look, told } = watched()
  expect(await look({ twin: 'it announces /ip4/192.0.2.7/tcp/4001' })).toEqual(['runs twice firing'])
  expect(told.at(-1)?.message).toMatch(/192\.0\.2\.7.*Stop one of the two/)
  expect(await look({})).toEqual(['runs twice resolved'])
})

test('a model worker that was replaced is reported with the reason', async () => {
  const { look, told } = watched()
  const workerRestart = { atMs: 0, restarts: 2, reason: 'the policy worker gave no sign of life for 612 s' }
  expect(await look({ workerRestart })).toEqual(['worker restarted firing'])
  expect(told.at(-1)?.message).toMatch(/2 times in all: .* no sign of life for 612 s/)
  expect(await look({})).toEqual(['worker restarted resolved'])
})

test('a solver without points for twelve rounds is reported; an evaluator has none to earn', async () => {
  const { look } = watched()
  expect(await look({ round: 1 })).toEqual([])
  expect(await look({ round: 12 })).toEqual([])
  expect(await look({ round: 13 })).toEqual(['no points firing'])
  expect(await look({ round: 14, pointsMilli: 10 })).toEqual(['no points resolved'])
  expect(await look({ round: 99, role: 'evaluator' })).toEqual([])
})

test('a peer that stays alone is reported after two minutes', async () => {
  const { look, clock } = watched()
  const alone = { connectedPeers: 0, aloneReason: 'nobody known', advice: 'do this' }
  expect(await look(alone)).toEqual([])
  clock.advance(60_000)
  await look({})
  await look(alone)
  clock.advance(119_000)
  expect(await look(alone)).toEqual([])
  clock.advance(1_000)
  expect(await look(alone)).toEqual(['alone firing'])
  expect(await look({})).toEqual(['alone resolved'])
})

test('an alert that nobody took is sent again', async () => {
  const { look, refuses } = watched()
  refuses.now = true
  expect(await look({ freeBytes: 1 })).toEqual([])
  refuses.now = false
  expect(await look({ freeBytes: 1 })).toEqual(['disk firing'])
})

test('an alert that seems lost may have arrived: its end is told too', async () => {
  const { look, refuses } = watched()
  refuses.now = true
  await look({ freeBytes: 1 })
  expect(await look({})).toEqual([])
  refuses.now = false
  expect(await look({})).toEqual(['disk resolved'])
  expect(await look({})).toEqual([])
  expect(await look({ freeBytes: 1 })).toEqual(['disk firing'])
})
