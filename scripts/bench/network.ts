import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { multiaddr } from '@multiformats/multiaddr'
import { SHARD_PEERS } from '@waggle/deployments/protocol'
import { peerKeyOf } from '../../node/src/core/peers/peerKey.ts'
import type { Announcement } from '../../node/src/p2p/gossip/announcement.ts'
import { startTestHost } from '../../node/src/p2p/testHosts.ts'
import { fetchScene, planOf } from '../../node/test/fetchScene.ts'
import type { BenchRow } from '../measure/row.ts'
import { idleRpcRow } from './idleRpc.ts'
import type { HeldPayloads } from './peers/payloadHolder.ts'

const SLOW = Math.ceil(SHARD_PEERS * 0.3)
/** Size of a starter's rollouts. */
const PAYLOAD_BYTES = 64 << 10

/** Fetched before the clock runs. */
const WARM_PAYLOADS = 10

const never = new AbortController().signal
const had = async () => ({ ok: true, value: true }) as const

const slowPeers: BenchRow = {
  name: 'fetch-slow-peers',
  unit: 'votes',
  bar: 0,
  better: 'less',
  async measure() {
    const { plan, wanted, stop } = await fetchScene({ honest: SHARD_PEERS - SLOW, slow: SLOW, bytes: PAYLOAD_BYTES })
    try {
      const startedMs = performance.now()
      let lastMs = 0
      const results = await plan.visit(wanted, never, async () => {
        lastMs = performance.now() - startedMs
        return had()
      })
      const lost = results.filter(({ wanted, result }) => !wanted.isSlow && !result.ok).length
      const seconds = (ms: number) => (ms / 1000).toFixed(1)
      const conditions = `votes lost on ${SHARD_PEERS - SLOW} honest peers of a shard of ${SHARD_PEERS} while ${SLOW} serve a byte a second, in the worst order; the last honest payload came after ${seconds(lastMs)} s, all results after ${seconds(performance.now() - startedMs)}; real sockets on loopback`
      return { value: lost, conditions }
    } finally {
      await stop()
    }
  },
}

const oneMegabyte: BenchRow = {
  name: 'bundle-1mb',
  unit: 'MB/s',
  bar: 60,
  better: 'more',
  async measure() {
    const child = fork(join(import.meta.dirname, 'peers/payloadHolder.ts'))
    const host = await startTestHost()
    const stopped = new AbortController()
    try {
      const [holder] = (await once(child, 'message')) as [HeldPayloads]
      await host.node.dial(holder.addresses.map(address => multiaddr(address)))
      const place = { kind: 'rollouts', round: 0 } as const
      const { peerId, size } = holder
      const announced = holder.contentIds.map(contentId => ({ ...place, contentId, peerId, size }) as Announcement)
      const plan = planOf(
        host,
        announced,
        { maxBytes: () => size, opensAtMs: () => 0, roundMs: () => 600_000 },
        stopped.signal,
      )
      const wanted = announced.map(({ contentId }) => ({ ...place, contentId, peerKey: peerKeyOf(peerId) }))
      // Code and the connection's window are warm then, as they are in a peer that runs.
      const [warm, rest] = [wanted.slice(0, WARM_PAYLOADS), wanted.slice(WARM_PAYLOADS)]
      await plan.visit(warm, never, had)
      const startedMs = performance.now()
      const results = await plan.visit(rest, never, had)
      const seconds = (performance.now() - startedMs) / 1000
      if (results.some(({ result }) => !result.ok)) throw new Error('a payload did not come')
      const value = (rest.length * size) / 1e6 / seconds
      const conditions = `${rest.length} payloads of 1 MiB from one holder in its own process, two at a time; without the disk`
      return { value, conditions }
    } finally {
      stopped.abort()
      child.kill()
      await host.stop()
    }
  },
}

/** Payloads between peers, over libp2p on loopback, and what a peer asks of its endpoint. */
export const rows: readonly BenchRow[] = [
  slowPeers,
  oneMegabyte,
  idleRpcRow('idle-rpc', 1, { blockSec: 2, roundSec: 120, rounds: 2 }),
  idleRpcRow('idle-rpc-12s', 0.3, { blockSec: 12, roundSec: 600, rounds: 1 }),
]
