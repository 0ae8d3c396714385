import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PeerNode } from '../peerNode.ts'
import { newestAgreement } from '../reports/newestAgreement.ts'
import { registerTraining } from './trainingMetrics.ts'
import type { PeerWatch } from './watchPeer.ts'

/** Counters of a peer, and its observer. */
export type MetricSources = {
  node: Pick<
    PeerNode,
    | 'chain'
    | 'network'
    | 'fetchCounts'
    | 'appealCounts'
    | 'auditCounts'
    | 'judgeCounts'
    | 'newestCanaries'
    | 'training'
    | 'workerRestarts'
  >
  watch: PeerWatch
}

type Figures = Record<string, readonly [help: string, read: () => number | null]>
type Counts = Record<string, readonly [help: string, label: string, read: () => Iterable<readonly [string, number]>]>

/**
 * The metrics of a peer, read from its counters at each scrape. Names end in units; nothing in them is secret.
 *
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createPeerMetrics({ node, watch }: MetricSources): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const [name, [help, read]] of Object.entries(standOf(node, watch.state))) gauge(registry, name, help, read)
  registerTraining(registry, node.training)
  for (const [name, [help, read]] of Object.entries(totalsOf(node)))
    counter(registry, name, help, [], metric => metric.inc(read() ?? 0))
  for (const [name, [help, label, read]] of Object.entries(countsOf(node)))
    counter(registry, name, help, [label], metric => {
      for (const [value, count] of read()) metric.inc({ [label]: value }, count)
    })
  registerPairs(registry, node)
  return registry
}

type Node = MetricSources['node']

/** The peer's current state. */
function standOf(node: Node, state: PeerWatch['state']): Figures {
  return {
    waggle_round: ['Round that the role plays.', () => state().round],
    waggle_round_elapsed_ratio: [
      'Share of the round that is over; above 1 where the role is late.',
      () => elapsed(state()),
    ],
    waggle_connected_peers: ['Peers connected.', () => state().connectedPeers],
    waggle_public_addresses: [
      'Public addresses that other networks reach the peer at; 0 behind a relay or out of reach.',
      () => state().publicAddresses,
    ],
    waggle_known_peers: ['Peers whose address is known.', () => known(node)],
    waggle_account_balance_ether: ["Coin of the account that pays, in the chain's unit.", () => state().balanceEth],
    waggle_points: ['Points on the leaderboard.', () => scaled(state().pointsMilli, 1000)],
    waggle_disk_free_bytes: ['Free on the disk of the folder.', () => state().freeBytes],
    waggle_judge_balanced_accuracy_ratio: [
      "The judge against execution: mean of the shares of right and of wrong answers that it tells, on the newest round's canaries.",
      () => newestAgreement(node.newestCanaries)?.balancedAccuracy ?? null,
    ],
    waggle_judge_calibration_error_ratio: [
      'Expected calibration error of the judge against execution on the same answers, ten bins.',
      () => newestAgreement(node.newestCanaries)?.calibrationError ?? null,
    ],
    waggle_chain_age_seconds: ['Since the chain answered the last time.', () => state().chainAgeSec],
  }
}

/** Totals since the start. */
function totalsOf({ auditCounts, chain, fetchCounts, training }: Node): Figures {
  return {
    waggle_rpc_calls_total: ['Calls of the endpoints.', () => chain.client.rpcCounts().calls],
    waggle_rpc_errors_total: ['Calls without an answer, or with an odd one.', () => chain.client.rpcCounts().errors],
    waggle_payloads_fetched_total: ['Payloads that came from peers.', () => fetchCounts().fetched],
    waggle_payloads_fetched_bytes_total: ['Bytes of payloads that came from peers.', () => fetchCounts().bytes],
    waggle_audited_rounds_total: ['Rounds whose settled scores were read again.', () => auditCounts.get('rounds') ?? 0],
    waggle_training_steps_total: ['Updates that were tried since the start.', () => training.totals().steps],
    waggle_training_failed_steps_total: [
      'Updates of those that failed or were not kept.',
      () => training.totals().failed,
    ],
    waggle_training_tokens_total: ['Tokens fed to updates.', () => training.totals().tokens],
    waggle_training_seconds_total: ['Seconds of updates.', () => training.totals().seconds],
  }
}

/** The same, by one label. */
function countsOf({ appealCounts, auditCounts, fetchCounts, network, workerRestarts }: Node): Counts {
  return {
    waggle_payload_faults_total: [
      'Payloads of peers that do not count, by the fault.',
      'fault',
      () => Object.entries(fetchCounts().faults),
    ],
    waggle_appeals_total: ['Settled scores that were found wrong, and appeals of them.', 'outcome', () => appealCounts],
    waggle_audited_scores_total: [
      'Settled scores that were read again, by what was found; `unchecked` if no peer served the work, `no base` if this one does not hold the base of its policy.',
      'result',
      () => [...auditCounts].filter(([result]) => result !== 'rounds'),
    ],
    waggle_worker_restarts_total: [
      'Processes of models that died, hung or lost their device, and were replaced.',
      'reason',
      workerRestarts.counts,
    ],
    waggle_connections_refused_total: [
      'Connections that found no slot, by the reason.',
      'reason',
      () => Object.entries(network.status().refused),
    ],
  }
}

/** Counts whose keys are two words. */
function registerPairs(registry: Registry, { chain, judgeCounts }: Node): void {
  counter(
    registry,
    'waggle_judged_answers_total',
    'Answers of canaries, by what the judge called them and what execution showed.',
    ['judge', 'execution'],
    metric => {
      for (const [key, count] of judgeCounts) {
        const [judge = '', execution = ''] = key.split(' ')
        metric.inc({ judge, execution }, count)
      }
    },
  )
  counter(registry, 'waggle_transactions_total', 'Transactions by kind and outcome.', ['kind', 'outcome'], metric => {
    for (const [key, count] of chain.sentCounts()) {
      const [kind = '', outcome = ''] = key.split(' ')
      metric.inc({ kind, outcome }, count)
    }
  })
}

function gauge(registry: Registry, name: string, help: string, read: () => number | null): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    collect() {
      const value = read()
      if (value === null) this.reset()
      else this.set(value)
    },
  })
}

/** A counter whose values come from elsewhere: each collection sets them again. */
function counter(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  fill: (metric: Counter) => void,
): void {
  new Counter({
    ...{ name, help, labelNames, registers: [registry] },
    collect() {
      this.reset()
      fill(this)
    },
  })
}

function elapsed({ pastRoundSec, roundSec }: ReturnType<PeerWatch['state']>): number | null {
  return pastRoundSec === null || roundSec === null || roundSec <= 0 ? null : 1 + pastRoundSec / roundSec
}

function known({ network }: MetricSources['node']): number {
  const { members, strangers } = network.status().known
  return members + strangers
}

function scaled(value: number | null, by: number): number | null {
  return value === null ? null : value / by
}
