import { afterEach, expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { AddressError } from './errors.ts'
import type { Host } from './host.ts'
import { type Redial, type RedialOptions, startRedial } from './redial.ts'
import { newPrivateKey, startTestHost, until } from './testHosts.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(options: Parameters<typeof startTestHost>[0] = {}): Promise<Host> {
  const host = await startTestHost(options)
  stops.push(() => host.stop())
  return host
}

function redial(host: Host, options: Partial<RedialOptions> & { clock: ManualClock }): Redial {
  const filled = { bootnodes: [], contacts: () => [], logger: silentLogger, random: () => 0.5 }
  const loop = startRedial(host, { ...filled, ...options })
  stops.push(loop.stop)
  return loop
}

/** Turns of the event loop until the redial loop sleeps. */
async function atRest(clock: ManualClock): Promise<void> {
  while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
}

const connected = (a: Host, b: Host) => () => a.connectedPeers().includes(b.peerId)

test('a bootnode that comes back with the same key is dialled again', async () => {
  const privateKey = await newPrivateKey()
  const clock = createManualClock()
  const first = await start({ privateKey })
  const address = first.addresses()[0] ?? ''
  const host = await start()
  redial(host, { bootnodes: [address], clock })
  await until(host.node, ['peer:connect'], connected(host, first))

  await first.stop()
  await until(host.node, ['peer:disconnect'], () => host.connectedPeers().length === 0)
  await atRest(clock)
  const second = await start({ privateKey, listen: [address.split('/p2p/')[0] ?? ''] })
  const back = until(host.node, ['peer:connect'], connected(host, second))
  clock.advance(60_000)
  await back
})

test('dials that fail come further and further apart', async () => {
  const clock = createManualClock()
  const host = await start()
  const dialled: number[] = []
  const dial = host.node.dial
  host.node.dial = (...parameters) => {
    dialled.push(clock.nowMs())
    return dial.apply(host.node, parameters)
  }
  // Port 1 on loopback refuses at once.
  redial(host, { bootnodes: ['/ip4/127.0.0.1/tcp/1'], clock })
  for (let step = 0; step < 100; step += 1) {
    await atRest(clock)
    clock.advance(1000)
  }
  await atRest(clock)
  const gaps = dialled.slice(1).map((at, index) => at - (dialled[index] ?? 0))
  expect(gaps.slice(0, 5)).toEqual([1000, 1000, 2000, 4000, 8000])
  expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000)
})

test('known peers are dialled up to the number of connections sought', async () => {
  const clock = createManualClock()
  const others = await Promise.all([start(), start(), start()])
  const contacts = others.map(other => ({ peerId: other.peerId, addresses: other.addresses() }))
  const host = await start()
  redial(host, { contacts: () => contacts, targetPeers: 2, clock })
  await atRest(clock)
  clock.advance(10_000)
  await until(host.node, ['peer:connect'], () => host.connectedPeers().length >= 2)
  await atRest(clock)
  clock.advance(10_000)
  await atRest(clock)
  expect(host.connectedPeers().length).toBe(2)
})

test('a bootnode that is no multiaddr is said to be none', async () => {
  const host = await start()
  expect(() => redial(host, { bootnodes: ['example.org:4001'], clock: createManualClock() })).toThrow(AddressError)
})
