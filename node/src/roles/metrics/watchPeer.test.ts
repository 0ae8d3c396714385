import { tmpdir } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { watchPeer } from './watchPeer.ts'

/** A watched peer, with the questions to its chain that are open. */
function watched() {
  const open: PromiseWithResolvers<never>[] = []
  const read = () => {
    open.push(Promise.withResolvers<never>())
    return open.at(-1)?.promise
  }
  const clock = createManualClock()
  const node = {
    chain: { readBalance: read, readPoints: async () => 2500 },
    network: {
      connectivity: () => ({ peers: 3, alone: null }),
      reachability: () => ({ by: 'direct', publicAddresses: [] }),
    },
    identity: { address: '0x1', peerKey: '0x2' },
    signal: new AbortController().signal,
    round: () => null,
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
