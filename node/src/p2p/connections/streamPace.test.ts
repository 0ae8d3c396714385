import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { connect, startTestHost, until } from '../testHosts.ts'

/** The private part of yamux that sends pings and takes those of the other end and its answers. A header's `length` is the ping's id. */
type Pinging = { muxer: { sendPing(id: number): void; handlePing(header: { length: number }): void } }

/** Higher than those of yamux's own pings. */
const FIRST_ID = 1_000

test('a peer that pings without end is banned, and has few answers', async () => {
  const [host, other] = await Promise.all([startTestHost({ clock: createManualClock() }), startTestHost()])
  await connect(other, host)
  const { muxer } = other.node.getConnections()[0] as unknown as Pinging
  let answers = 0
  const answered = Promise.withResolvers<void>()
  muxer.handlePing = ({ length: id }) => {
    if (id >= FIRST_ID) answers += 1
    if (answers === 32) answered.resolve()
  }
  const ping = (from: number, to: number) => {
    for (let id = from; id < to; id++) muxer.sendPing(FIRST_ID + id)
  }
  try {
    ping(0, 32)
    await answered.promise
    expect(host.guard.isBanned(other.peerId)).toBe(false)
    ping(32, 1_000)
    await until(host.node, ['peer:disconnect'], () => host.guard.isBanned(other.peerId))
    expect(answers).toBeLessThanOrEqual(64)
  } finally {
    await Promise.all([host.stop(), other.stop()])
  }
})
