import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PeerNode } from '../peerNode.ts'
import type { PassFigures } from './passByLevel.ts'
import type { TrainingStep } from './trainingLog.ts'
import type { PeerWatch } from './watchPeer.ts'

/** What a peer counts by itself already, and the watch on it. */
export type MetricSources = {
  node: Pick<
    PeerNode,
    'chain' | 'network' | 'fetchCounts' | 'appealCounts' | 'auditCounts' | 'judgeCounts' | 'training'
  >
  watch: PeerWatch
}

type Figures = Record<string, readonly [help: string, read: () => number | null]>
type Counts = Record<string, readonly [help: string, label: string, read: () => Iterable<readonly [string, number]>]>

/** Figures of one update, by the name of their metric. */
const stepFigures: Record<string, readonly [help: string, read: (step: TrainingStep) => number | null]> = {
  reward_mean: ['Mean composite score of the completions.', step => step.reward],
  pass_at_1_ratio: ['Mean predicted correctness of the completions.', step => step.passAt1],
  loss: ['Loss of the update.', step => step.loss],
  kl_nats_per_token: ['How far the update moved the policy.', step => step.kl],
  entropy_nats_per_token: ['Mean surprise of what the policy sampled itself.', step => step.entropy],
  clip_ratio: ['Share of tokens that the update moved out of the clip range.', step => step.clipFraction],
  gradient_norm: ['Norm of all gradients before clipping.', step => step.gradientNorm],
  learning_rate: ['Learning rate.', step => step.learningRate],
  completion_tokens_mean: ['Mean tokens of a completion.', step => step.completionTokens],
  step_tokens: ['Tokens fed to the update.', step => step.tokens],
  step_seconds: ['Seconds of the update.', step => step.seconds],
}

/** Figures of the answers that one update was on. */
const passFigures: Record<string, readonly [help: string, read: (figures: PassFigures) => number]> = {
  average_at_k_ratio: ['Mean predicted correctness of the answers.', figures => figures.averageAtK],
  pass_at_1_ratio: ['Chance that one answer is right, by the judge.', figures => figures.passAt1.value],
  pass_at_1_low_ratio: ['Lower end of its 95 % interval.', figures => figures.passAt1.low],
  pass_at_1_high_ratio: ['Upper end of its 95 % interval.', figures => figures.passAt1.high],
  pass_at_k_ratio: [
    'Chance that one of the answers to a task is right, by the judge.',
    figures => figures.passAtK.value,
  ],
  pass_at_k_low_ratio: ['Lower end of its 95 % interval.', figures => figures.passAtK.low],
  pass_at_k_high_ratio: ['Upper end of its 95 % interval.', figures => figures.passAtK.high],
}

/** What those figures are told by, with its values. */
const figuresBy: Record<string, (step: TrainingStep) => (readonly [string | number, PassFigures])[]> = {
  level: step => step.levels.map(one => [one.level, one] as const),
  proposer: step => step.proposers.map(one => [one.proposer, one] as const),
  family: step => step.families.map(one => [one.family, one] as const),
}

/**
 * The metrics of a peer, read where they are counted when somebody asks for them. Names end in units; nothing in them is secret.
 *
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createPeerMetrics({ node, watch }: MetricSources): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const state = watch.state
  const figures: Figures = {
    waggle_round: ['Round that the role plays.', () => state().round],
    waggle_round_elapsed_ratio: [
      'Share of the round that is over; above 1 where the role is late.',
      () => elapsed(state()),
    ],
    waggle_connected_peers: ['Peers connected.', () => state().connectedPeers],
    waggle_known_peers: ['Peers whose address is known.', () => known(node)],
    waggle_account_balance_ether: ["Coin of the account that pays, in the chain's unit.", () => state().balanceEth],
    waggle_points: ['Points on the leaderboard.', () => scaled(state().pointsMilli, 1000)],
    waggle_disk_free_bytes: ['Free on the disk of the folder.', () => state().freeBytes],
    waggle_chain_age_seconds: ['Since the chain answered the last time.', () => state().chainAgeSec],
  }
  for (const [name, [help, read]] of Object.entries(figures)) gauge(registry, name, help, read)
  for (const [name, [help, read]] of Object.entries(stepFigures)) {
    new Gauge({
      ...{ name: `waggle_training_${name}`, help: `${help} By whose groups it was on.`, labelNames: ['groups'] },
      registers: [registry],
      collect() {
        this.reset()
        for (const [groups, step] of Object.entries(node.training.latest())) {
          const value = step === null ? null : read(step)
          if (value !== null) this.set({ groups }, value)
        }
      },
    })
  }
  for (const [of, figuresOf] of Object.entries(figuresBy))
    for (const [name, [help, read]] of Object.entries(passFigures)) {
      new Gauge({
        ...{ name: `waggle_training_${of}_${name}`, help: `${help} By whose groups and by the ${of} of their tasks.` },
        ...{ labelNames: ['groups', of], registers: [registry] },
        collect() {
          this.reset()
          for (const [groups, step] of Object.entries(node.training.latest()))
            for (const [value, figures] of step === null ? [] : figuresOf(step))
              this.set({ groups, [of]: value }, read(figures))
        },
      })
    }
  new Gauge({
    ...{ name: 'waggle_training_peer_pass_at_1_ratio', help: 'Mean predicted correctness of the answers of a peer.' },
    ...{ labelNames: ['peer'], registers: [registry] },
    collect() {
      this.reset()
      for (const [peer, step] of node.training.latestOfPeers()) this.set({ peer }, step.passAt1)
    },
  })
  const { training, fetchCounts, chain } = node
  const totals: Figures = {
    waggle_rpc_calls_total: ['Calls of the endpoints.', () => chain.client.rpcCounts().calls],
    waggle_rpc_errors_total: ['Calls without an answer, or with an odd one.', () => chain.client.rpcCounts().errors],
    waggle_payloads_fetched_total: ['Payloads that came from peers.', () => fetchCounts().fetched],
    waggle_payloads_fetched_bytes_total: ['Bytes of payloads that came from peers.', () => fetchCounts().bytes],
    waggle_audited_rounds_total: [
      'Rounds whose settled scores were read again.',
      () => node.auditCounts.get('rounds') ?? 0,
    ],
    waggle_training_steps_total: ['Updates since the start.', () => training.totals().steps],
    waggle_training_failed_steps_total: ['Updates that were not kept.', () => training.totals().failed],
    waggle_training_tokens_total: ['Tokens fed to updates.', () => training.totals().tokens],
    waggle_training_seconds_total: ['Seconds of updates.', () => training.totals().seconds],
  }
  for (const [name, [help, read]] of Object.entries(totals))
    counter(registry, name, help, [], metric => metric.inc(read() ?? 0))
  const counts: Counts = {
    waggle_payload_faults_total: [
      'Payloads of peers that do not count, by the fault.',
      'fault',
      () => Object.entries(fetchCounts().faults),
    ],
    waggle_appeals_total: [
      'Settled scores that were found wrong, and appeals of them.',
      'outcome',
      () => node.appealCounts,
    ],
    waggle_audited_scores_total: [
      'Settled scores that were read again, by what was found; `unchecked` where nobody gave the work.',
      'result',
      () => [...node.auditCounts].filter(([result]) => result !== 'rounds'),
    ],
    waggle_connections_refused_total: [
      'Connections that found no slot, by the reason.',
      'reason',
      () => Object.entries(node.network.status().refused),
    ],
  }
  for (const [name, [help, label, read]] of Object.entries(counts))
    counter(registry, name, help, [label], metric => {
      for (const [value, count] of read()) metric.inc({ [label]: value }, count)
    })
  counter(
    registry,
    'waggle_judged_answers_total',
    'Answers of canaries, by what the judge called them and what execution showed.',
    ['judge', 'execution'],
    metric => {
      for (const [key, count] of node.judgeCounts) {
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
  return registry
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
