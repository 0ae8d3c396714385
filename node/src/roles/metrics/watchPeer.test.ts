import { tmpdir } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { type PlayedRound, playedRound } from '../playedRound.ts'
import { healthOf } from './healthOf.ts'
import { watchPeer } from './watchPeer.ts'

/** A watched peer, with the questions to its chain that are open. */
function watched(round: PlayedRound | null = null, clock = createManualClock()) {
  const open: PromiseWithResolvers<never>[] = []
  const read = () => {
    open.push(Promise.withResolvers<never>())
    return open.at(-1)?.promise
  }
  const node = {
    chain: { readBalance: read, readPoints: async () => 2500 },
    network: {
      connectivity: () => ({ peers: 3, alone: null }),
      reachability: () => ({ by: 'direct', publicAddresses: [] }),
    },
    identity: { address: '0x1', peerKey: '0x2' },
    signal: new AbortController().signal,
    round: () => round,
    twin: { current: () => null },
    workerRestarts: { current: () => null },
  }
  const watch = watchPeer({ ...node, clock } as unknown as Parameters<typeof watchPeer>[0], 'solver', tmpdir())
  return { open, clock, watch }
}

test('while the chain does not answer it has one question, however long that lasts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { open, clock, watch } = watched()
  for (let minute = 0; minute < 3; minute++) {
    const looked = watch.refresh()
    await vi.advanceTimersByTimeAsync(10_000)
    await looked
    clock.advance(60_000)
  }
  expect([open.length, watch.state().balanceEth]).toEqual([1, null])
  open[0]?.resolve((10n ** 18n) as never)
  await watch.refresh()
  expect(watch.state()).toMatchObject({ balanceEth: 1, pointsMilli: 2500, chainAgeSec: 0 })
  clock.advance(60_000)
  const looked = watch.refresh()
  open[1]?.reject(new Error('down'))
  await looked
  expect([open.length, watch.state().balanceEth, watch.state().chainAgeSec]).toEqual([2, 1, 60])
})

test.each([-3_600, 0, 3_600])(
  'a clock that is off by %i s neither hides a role that hangs nor stops one that works',
  offSec => {
    const clock = createManualClock((1_000_000 + offSec) * 1000)
    const time = { round: 7, startsAtSec: 999_700, endsAtSec: 1_000_300, nowSec: 1_000_000, block: 1 }
    const { watch } = watched(playedRound(time, clock), clock)
    expect(healthOf(watch.state())).toMatchObject({ ok: true, pastRoundSec: -300 })
    clock.advance((300 + 2 * 600 + 61) * 1000)
    expect(healthOf(watch.state())).toMatchObject({ ok: false, pastRoundSec: 2 * 600 + 61 })
  },
)
