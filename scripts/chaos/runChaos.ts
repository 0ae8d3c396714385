import { setTimeout as sleep } from 'node:timers/promises'
import { connect, currentRound } from '../swarm/chainFacts.ts'
import { auditLies, pointFaults } from './auditNetwork.ts'
import { type ChaosSwarm, startChaosSwarm } from './chaosSwarm.ts'
import { disturbEndpoints } from './disturb.ts'
import type { Extent, Row } from './extent.ts'
import { fillDisk } from './fillDisk.ts'
import { killAtRandom, survivedOf } from './harm.ts'
import { liars } from './lies.ts'
import { lostWork } from './lostWork.ts'
import { type FoundLies, shareFound } from './plantedLies.ts'
import { indexFaults } from './rebuildIndex.ts'
import { reorganise } from './reorganise.ts'
import { readCalls, sentTwice } from './sentTwice.ts'

type Chaos = {
  extent: Extent
  seed: string
  /** Has to be empty: existing contents are resumed. */
  data: string
  stop: AbortController
  say: (line: string) => void
}

/** Planted at least. */
const LIES = 12
/**
 * Rounds that were harmed last are settled three rounds later, and appeals of them closed four rounds after that. Seven of these rounds are
 * lied about, and their votes are opened.
 */
const ROUNDS_AFTER = 10

/**
 * Disturbs a swarm of real processes, lets it settle, and checks chain, network and index.
 *
 * @returns the rows; every fault has been reported.
 */
export async function runChaos({ extent, seed, data, stop, say }: Chaos): Promise<Row[]> {
  const { signal } = stop
  const swarm = await startChaosSwarm({ data, roundSeconds: extent.roundSeconds, stop, say })
  try {
    const first = await reachRound(swarm, 1, signal)
    say(`harming the swarm from round ${first} on; logs in ${data}/logs`)
    const over = new AbortController()
    const slots = swarm.peers.map(({ slot }) => slot)
    const disturbed = disturbEndpoints(swarm.proxy, slots, { seed, signal: AbortSignal.any([signal, over.signal]) })
    const reorganised = reorganise(swarm.rpcUrl, signal)
    const filled = fillDisk(swarm, extent, { signal, say })
    // Stopping the run aborts the kills, which ends it.
    for (const harm of [reorganised, filled]) harm.catch(() => undefined)
    const killed = await killAtRandom(swarm, extent, { seed, data, signal, say })
    const last = await reachRound(swarm, first + extent.rounds, signal)
    over.abort()
    await filled
    const harm = `${await disturbed} faults of endpoints, ${await reorganised} blocks taken back at once`
    say(harm)
    say(`round ${last}: no more harm; ${ROUNDS_AFTER} rounds follow, in which ${Object.keys(liars).join(', ')} lie`)
    const from = await startLying(swarm, signal)
    const end = await reachRound(swarm, last + ROUNDS_AFTER, signal)
    const survived = await survivedOf(swarm, killed)
    const full = await filled
    const isStuck = full !== null && (await survivedOf(swarm, [full])).length === 0
    const lies = await auditLies(swarm, { data, from, end, signal })
    const judged = await faultsOf(swarm, { data, end, signal, say })
    const stuck = isStuck ? [`${full.name} did nothing more after its disk was full`] : []
    const found = [...judged.faults, ...stuck, ...lies.falseAlarms.map(line => `audit: ${line}`)]
    for (const { name } of killed.filter(one => !survived.includes(one))) say(`fault: ${name} did not come back`)
    for (const fault of found) say(`fault: ${fault}`)
    const conditions = [
      `${extent.rounds} rounds of ${extent.roundSeconds} s, seed ${seed}; ${harm}`,
      ...[judged.counted, `${found.length} faults found afterwards, any of which makes this 0`],
    ]
    return [killRow(extent, found.length === 0 ? survived.length : 0, conditions.join('; ')), lieRow(lies)]
  } finally {
    stop.abort()
    await swarm.stopAll()
  }
}

type Judged = { faults: string[] /** Amounts that were judged, in words. */; counted: string }

/** Everything lost, sent twice, or inconsistent. */
async function faultsOf(
  swarm: ChaosSwarm,
  { data, end, signal, say }: { data: string; end: number; signal: AbortSignal; say: (line: string) => void },
): Promise<Judged> {
  const { deployment, rpcUrl, peers } = swarm
  const client = connect(rpcUrl)
  const { of, lost, regained } = await lostWork(client, deployment, end)
  const audit = await pointFaults(swarm, { data, signal })
  await swarm.stopPeers()
  const calls = await readCalls(
    client,
    deployment,
    peers.map(({ address }) => address),
  )
  const doubled = sentTwice(calls).map(({ account, call, hash }) => `sent twice: ${call} by ${account} (${hash})`)
  const reverted = calls.filter(({ ok }) => !ok).map(({ call }) => call)
  const counted = `${of} commitments due, ${regained} with their score by an appeal; ${calls.length} calls, ${reverted.length} reverted`
  say(`${counted}: ${reverted.join(', ')}`)
  const index = await indexFaults(swarm, data, signal)
  const faults = [
    ...lost.map(line => `lost: ${line}`),
    ...(of === 0 ? ['lost: nothing was committed'] : []),
    ...audit,
    ...doubled,
    ...index.map(line => `index: ${line}`),
  ]
  return { faults, counted }
}

/** A kill counts as survived only if nothing at all was lost or sent twice. */
function killRow({ kills }: Extent, value: number, conditions: string): Row {
  return { name: 'chaos-kills', value, unit: 'kills survived', bar: kills, ok: value >= kills, conditions }
}

/** Row of the planted lies: how many were found, scaled to `LIES` if more were planted. */
function lieRow(lies: FoundLies): Row {
  const value = shareFound(lies, LIES)
  const kinds = Object.entries(lies.kinds).map(([kind, { planted, found }]) => `${kind} ${found} of ${planted}`)
  return {
    ...{ name: 'audit-lies-found', value, unit: `lies of ${LIES}`, bar: LIES, ok: value >= LIES },
    conditions: `by kind: ${kinds.join(', ')}; told by ${Object.keys(liars).join(', ')}, an endpoint and an index`,
  }
}

/** Restarts liars. @returns the first round that they lie about. */
async function startLying(swarm: ChaosSwarm, signal: AbortSignal): Promise<number> {
  // Answers of this round may be committed already.
  const from = (await reachRound(swarm, 0, signal)) + 1
  swarm.lying.fromRound = from
  for (const slot of Object.keys(liars)) {
    const honest = swarm.running.get(`peer-${slot}`)
    if (honest !== undefined) process.kill(-honest.pid, 'SIGKILL')
  }
  return from
}

/** @returns the round that the chain is in, once that is `round` or later. */
async function reachRound({ rpcUrl, deployment }: ChaosSwarm, round: number, signal: AbortSignal): Promise<number> {
  const client = connect(rpcUrl)
  for (;;) {
    const now = await currentRound(client, deployment)
    if (now !== null && now >= round) return now
    await sleep(500, undefined, { signal })
  }
}
