import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import type { Connectivity } from '#p2p/connections/connectivity.ts'
import type { Reachability } from '#p2p/connections/reachability.ts'
import { CONNECTIONS, reportConnections } from './reportConnections.ts'

const alone = (reason: 'nobody known' | 'nobody reached'): Connectivity => ({
  peers: 0,
  alone: { reason, found: 'what was found', advice: 'what to do' },
})

test('a peer says at once that it is alone or connected, and how many it knows once a minute at most', async () => {
  const clock = createManualClock()
  const stop = new AbortController()
  const lines: string[] = []
  const noted: unknown[] = []
  let now = alone('nobody known')
  let reached: Reachability = { by: 'nothing', publicAddresses: [] }
  const logger = createLogger({
    write: line => lines.push(line.slice(9)),
    format: 'pretty',
    level: 'info',
    clock,
  })
  const done = reportConnections({
    network: { connectivity: () => now, reachability: () => reached },
    journal: { setState: (key, value) => void (key === CONNECTIONS && noted.push(value)) },
    ...{ clock, logger, signal: stop.signal },
  })
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i += 2) {
      clock.advance(2_000)
      await Promise.resolve()
      await Promise.resolve()
      await Promise.resolve()
    }
    return lines.splice(0)
  }
  expect(lines).toEqual([])
  expect(await pass(60)).toEqual([
    'WARN  alone: no peer is connected reason=nobody known found=what was found advice=what to do',
  ])
  expect(noted[0]).toMatchObject({ peers: 0, alone: { reason: 'nobody known' } })
  const before = noted.length
  reached = { by: 'relay', publicAddresses: [] }
  expect(await pass(2)).toEqual([])
  expect(noted.slice(before)).toMatchObject([{ reachability: reached }])
  now = { peers: 1, alone: null }
  expect(await pass(5)).toEqual(['INFO  connected peers=1'])
  now = { peers: 7, alone: null }
  expect(await pass(30)).toEqual([])
  expect(await pass(60)).toEqual(['INFO  connected peers=7'])
  expect(await pass(600)).toEqual([])
  now = alone('nobody reached')
  expect((await pass(300)).length).toBe(1)
  expect((await pass(600)).length).toBe(1)
  expect(noted.at(-1)).toMatchObject({ peers: 0, atMs: expect.any(Number) })
  stop.abort()
  await done
})
