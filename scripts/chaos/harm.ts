import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { connect } from '../swarm/chainFacts.ts'
import { answers } from '../swarm/waitFor.ts'
import { chainIsKept } from './chainIsKept.ts'
import type { ChaosSwarm } from './chaosSwarm.ts'
import type { Extent } from './extent.ts'
import type { FaultyProxy } from './faultyProxy.ts'
import { createKillPlan } from './killPlan.ts'

/** A process that was killed, and the nonce that its account had. */
export type Killed = { name: string; nonce: number }

/** How long the endpoint of a peer that starts again lies. */
const FALSE_START_MS = 6_000

/**
 * Kills processes one after another, by a plan that follows from the seed, each without warning and with all that it started. The first
 * header that some killed peers see at their next start is of next year.
 */
export async function killAtRandom(
  { running, peers, rpcUrl, proxy }: ChaosSwarm,
  extent: Extent,
  { seed, data, signal, say }: { seed: string; data: string; signal: AbortSignal; say: (line: string) => void },
): Promise<Killed[]> {
  const client = connect(rpcUrl)
  const plan = createKillPlan(seed, extent.kills, extent.rounds * extent.roundSeconds * 1_000)
  const killed: Killed[] = []
  while (killed.length < extent.kills) {
    await sleep(plan.waitMs(), undefined, { signal })
    const name = plan.choose(running.keys())
    const target = name === null ? undefined : running.get(name)
    if (name === null || target === undefined) continue
    const peer = peers.find(({ slot }) => name === `peer-${slot}`)
    const address = peer?.address
    // Read before the kill, which may hit the chain.
    const nonce = address === undefined ? 0 : await nonceOf(client, address)
    if (name === 'chain') await chainIsKept(rpcUrl, data, signal)
    if (nonce === null || running.get(name) !== target) continue
    if (peer !== undefined && plan.startsFalsely()) lieFor(proxy, peer.slot, signal)
    process.kill(-target.pid, 'SIGKILL')
    killed.push({ name, nonce })
    say(`kill ${killed.length} of ${extent.kills}: ${name}`)
  }
  return killed
}

function lieFor(proxy: FaultyProxy, slot: string, signal: AbortSignal): void {
  proxy.set(slot, 'future')
  const end = () => proxy.set(slot, null)
  sleep(FALSE_START_MS, undefined, { signal }).then(end, end)
}

/** Null while the chain is down; the kill is then skipped. */
export function nonceOf(client: ReturnType<typeof connect>, address: Hex): Promise<number | null> {
  return client.getTransactionCount({ address }).catch(() => null)
}

/**
 * Kills that were survived: the process runs again and does its work. A peer has sent a transaction since; gateway, indexer and chain
 * answer.
 */
export async function survivedOf(swarm: ChaosSwarm, killed: readonly Killed[]): Promise<Killed[]> {
  const { running, peers, ports, rpcUrl } = swarm
  const client = connect(rpcUrl)
  const isWell = async ({ name, nonce }: Killed): Promise<boolean> => {
    if (!running.has(name)) return false
    if (name === 'chain') return (await client.getBlockNumber()) > 0n
    if (name === 'indexer') return answersSoon(`http://127.0.0.1:${ports.indexer}/status`)
    if (name === 'peer-gateway') return answersSoon(`http://127.0.0.1:${ports.gateway}/v1/status`)
    // It sends something only where a score is wrong.
    if (name === 'peer-auditor') return true
    const peer = peers.find(({ slot }) => name === `peer-${slot}`)
    return peer !== undefined && (await client.getTransactionCount({ address: peer.address })) > nonce
  }
  const well = await Promise.all(killed.map(one => isWell(one).catch(() => false)))
  return killed.filter((_, at) => well[at])
}

/** Whether an address answers within half a minute: on a busy machine a process that is well takes longer than one request may. */
export async function answersSoon(url: string, pauseMs = 1_000): Promise<boolean> {
  for (let tries = 0; tries < 10; tries += 1) {
    if (await answers(url).catch(() => false)) return true
    await sleep(pauseMs)
  }
  return false
}
