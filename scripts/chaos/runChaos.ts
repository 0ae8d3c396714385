import { setTimeout as sleep } from 'node:timers/promises'
import { connect, currentRound } from '../swarm/chainFacts.ts'
import { auditLies, LIAR, pointFaults } from './auditNetwork.ts'
import { type ChaosSwarm, startChaosSwarm } from './chaosSwarm.ts'
import { disturbEndpoints } from './disturb.ts'
import type { Extent, Row } from './extent.ts'
import { fillDisk } from './fillDisk.ts'
import { killAtRandom, survivedOf } from './harm.ts'
import { lostWork } from './lostWork.ts'
import type { FoundLies } from './plantedLies.ts'
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
 * Rounds that were harmed last are settled three rounds later, and appeals of them closed four rounds after that. Six of these rounds are lied
 * about, of two solvers each, and their votes are opened.
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
    say(`${await reorganised} blocks were taken back at once`)
    say(`${await disturbed} faults of endpoints`)
    say(`round ${last}: no more harm; ${ROUNDS_AFTER} rounds follow, in which ${LIAR} lies`)
    const from = await startLying(swarm, signal)
    const end = await reachRound(swarm, last + ROUNDS_AFTER, signal)
    const survived = await survivedOf(swarm, killed)
    const full = await filled
    const isStuck = full !== null && (await survivedOf(swarm, [full])).length === 0
    const lies = await auditLies(swarm, { data, from, end, signal })
    const faults = await faultsOf(swarm, { data, end, signal, say })
    const stuck = isStuck ? [`${full.name} did nothing more after its disk was full`] : []
    const found = [...faults, ...stuck, ...lies.falseAlarms.map(line => `audit: ${line}`)]
    for (const { name } of killed.filter(one => !survived.includes(one))) say(`fault: ${name} did not come back`)
    for (const fault of found) say(`fault: ${fault}`)
    say(`${lies.found} of ${lies.planted} planted lies were found`)
    return [killRow(extent, found.length === 0 ? survived.length : 0), lieRow(lies)]
  } finally {
    stop.abort()
    await swarm.stopAll()
  }
}

/** Everything lost, sent twice, or inconsistent. */
async function faultsOf(
  swarm: ChaosSwarm,
  { data, end, signal, say }: { data: string; end: number; signal: AbortSignal; say: (line: string) => void },
): Promise<string[]> {
  const { deployment, rpcUrl, peers } = swarm
  const client = connect(rpcUrl)
  const { of, lost, regained } = await lostWork(client, deployment, end)
  say(`${of} commitments were due to be settled, ${regained} have their score by an appeal`)
  const audit = await pointFaults(swarm, { data, signal })
  await swarm.stopPeers()
  const calls = await readCalls(
    client,
    deployment,
    peers.map(({ address }) => address),
  )
  const doubled = sentTwice(calls).map(({ account, call, hash }) => `sent twice: ${call} by ${account} (${hash})`)
  const reverted = calls.filter(({ ok }) => !ok).map(({ call }) => call)
  say(`${calls.length} calls, ${reverted.length} of them reverted: ${reverted.join(', ')}`)
  const index = await indexFaults(swarm, data, signal)
  return [
    ...lost.map(line => `lost: ${line}`),
    ...(of === 0 ? ['lost: nothing was committed'] : []),
    ...audit,
    ...doubled,
    ...index.map(line => `index: ${line}`),
  ]
}

/** A kill counts as survived only if nothing at all was lost or sent twice. */
function killRow({ kills }: Extent, value: number): Row {
  return { name: 'chaos-kills', value, unit: 'kills survived', bar: kills, ok: value >= kills }
}

/** Row of the planted lies: how many were found, scaled to `LIES` if more were planted. */
function lieRow({ planted, found }: FoundLies): Row {
  const value = planted < LIES ? found : Math.floor((LIES * found) / planted)
  return { name: 'audit-lies-found', value, unit: `lies of ${LIES}`, bar: LIES, ok: value >= LIES }
}

/** Restarts an evaluator as one that votes falsely. @returns the first round of which all its votes are lies. */
async function startLying(swarm: ChaosSwarm, signal: AbortSignal): Promise<number> {
  // It votes on this round in the next one.
  const from = await reachRound(swarm, 0, signal)
  const honest = swarm.running.get(`peer-${LIAR}`)
  swarm.liars.add(LIAR)
  if (honest !== undefined) process.kill(-honest.pid, 'SIGKILL')
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
