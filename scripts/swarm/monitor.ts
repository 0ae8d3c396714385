import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '@waggle/deployments/record'
import type { PublicClient } from 'viem'
import { readReports } from '../../node/src/cli/status/readReports.ts'
import { JOURNAL_FILE } from '../../node/src/store/openDatabase.ts'
import { type ChainFacts, followChainFacts } from './chainFacts.ts'
import type { SwarmPeer } from './peers.ts'
import type { TableRow } from './table.ts'

/** A round as the report has it. */
interface ReportRound {
  round: number
  tasks: number
  rollouts: number
  taken: number
  meanReward: number | null
  averageAtK: number | null
  passAt1: number | null
  commitments: number
  votes: number
  abstentions: number
  settled: number
  scored: number
  pointsMilli: number
  seconds: number
}

/** Rows of the table, and the rounds of this run that have settled. */
interface Shown {
  rows: TableRow[]
  settledRounds: number
}

export interface Monitor {
  /**
   * Reads chain, journals and gateway again. While that fails, as during a restart of the chain, the result is that of the last time.
   *
   * @throws the failure, once it has lasted for two minutes.
   */
  refresh: () => Promise<Shown>
  /** As of the last refresh: the rounds of this run that have settled. */
  report: () => { peers: { name: string; role: string; points: number }[]; rounds: ReportRound[] }
}

interface MonitorModules {
  client: PublicClient
  deployment: Deployment
  peers: SwarmPeer[]
  gatewayUrl: string
  /** Round in which this run began; earlier ones belong to earlier runs. */
  firstRound: number
  /** Current time, milliseconds since any moment. */
  nowMs?: () => number
}

const AWAY_MS = 120_000

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: number[]) => (values.length > 0 ? sum(values) / values.length : null)

/** Follows a running swarm through the chain, the solvers' journals and the canary's measurements. */
export function createMonitor(modules: MonitorModules): Monitor {
  const { client, deployment, peers, gatewayUrl, firstRound, nowMs = () => performance.now() } = modules
  const readFacts = followChainFacts(client, deployment)
  let facts: ChainFacts = { rounds: [], pointsOf: new Map() }
  let noted = new Map<number, { taken: number; averageAtK: number }[]>()
  let canary = new Map<number, number[]>()
  let shown: Shown = { rows: [], settledRounds: 0 }
  let awaySinceMs: number | null = null

  const merged = (): ReportRound[] =>
    facts.rounds
      .filter(({ round, commitments }) => round >= firstRound && commitments > 0)
      .map(round => ({
        ...round,
        taken: sum((noted.get(round.round) ?? []).map(({ taken }) => taken)),
        averageAtK: mean((noted.get(round.round) ?? []).map(({ averageAtK }) => averageAtK)),
        passAt1: mean(canary.get(round.round) ?? []),
      }))

  async function read(): Promise<Shown> {
    ;[facts, canary] = await Promise.all([readFacts(), readCanary(gatewayUrl)])
    noted = readNoted(peers)
    const rounds = merged()
    const rows = rounds.map(round => ({
      ...round,
      settledPoints: round.settled > 0 ? round.pointsMilli : null,
    }))
    return { rows, settledRounds: rounds.filter(({ settled }) => settled > 0).length }
  }

  return {
    async refresh() {
      try {
        shown = await read()
        awaySinceMs = null
      } catch (error) {
        awaySinceMs ??= nowMs()
        if (nowMs() - awaySinceMs >= AWAY_MS) throw error
      }
      return shown
    },
    report: () => ({
      peers: peers
        .filter(({ role }) => role !== 'gateway')
        .map(({ name, role, peerKey }) => ({ name, role, points: facts.pointsOf.get(peerKey) ?? 0 })),
      rounds: merged().filter(({ settled }) => settled > 0),
    }),
  }
}

/** Entries of solvers' journals, by round. */
function readNoted(peers: SwarmPeer[]): Map<number, { taken: number; averageAtK: number }[]> {
  const noted = new Map<number, { taken: number; averageAtK: number }[]>()
  for (const { role, folder } of peers) {
    const path = join(folder, JOURNAL_FILE)
    if (role !== 'solver' || !existsSync(path)) continue
    for (const { round, taken, averageAtK } of readReports(path))
      noted.set(round, [...(noted.get(round) ?? []), { taken: Number(taken), averageAtK: Number(averageAtK) }])
  }
  return noted
}

/** pass@1 by execution of each solver's canary, by round; nothing while the gateway does not answer, or ends in the middle of its answer. */
export async function readCanary(gatewayUrl: string): Promise<Map<number, number[]>> {
  const points = await readPoints(gatewayUrl).catch(() => [])
  const byRound = Map.groupBy(points, ({ round }) => round)
  return new Map([...byRound].map(([round, measured]) => [round, measured.map(({ passAt1 }) => passAt1)]))
}

async function readPoints(gatewayUrl: string): Promise<{ round: number; passAt1: number }[]> {
  const response = await fetch(`${gatewayUrl}/v1/canary`, { signal: AbortSignal.timeout(2_000) })
  if (!response.ok) return []
  const { points } = (await response.json()) as { points: { round: number; passAt1: number }[] }
  return points
}
