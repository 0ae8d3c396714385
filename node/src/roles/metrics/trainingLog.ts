import type { RotatingFileStream } from 'rotating-file-stream'
import type { Scalars } from './eventFile.ts'
import { createEventLog, ended, type FigureFiles, openFigures } from './eventLog.ts'
import type {
  DatasetFigures,
  FamilyFigures,
  LevelFigures,
  PassFigures,
  PeerFigures,
  ProposerFigures,
} from './passByLevel.ts'

/** Figures of the answers of some groups. */
export type AnswerFigures = {
  /** The judge's estimates for the answers, by the level of their tasks. */
  levels: readonly LevelFigures[]
  /** The same by their proposers, which separates tasks of a dataset. */
  proposers: readonly ProposerFigures[]
  /** The same by the families of their tasks; empty if the environment has no families. */
  families: readonly FamilyFigures[]
  /** The same by the datasets of their tasks; empty if the solver was given none. */
  datasets: readonly DatasetFigures[]
  /** Mean composite score of the completions. */
  reward: number
  /** Mean predicted correctness of the completions: pass@1 by the judge. Of a proposer's tasks: the share that solvers got right. */
  passAt1: number
  /** Nats a token: mean surprise of what this policy sampled itself, an unbiased estimate at temperature 1; null for answers of others. */
  entropy: number | null
  /** Mean tokens of a completion. */
  completionTokens: number
}

/** One update of the policy, with the figures of its own groups; of the groups of others if it has no own ones. Unmeasured figures are null. */
export type TrainingStep = AnswerFigures & {
  /** Groups of completions in the update, and those of them with a gradient. */
  groups: number
  groupsUsed: number
  /** Number of groups of this solver. */
  ownGroups: number
  /** Figures of the groups of others, if the update also has own ones; else null. */
  others: AnswerFigures | null
  /** Key of the peer whose groups they are, where they are of one other. */
  peer: string | null
  /** Figures by the peers that sampled the answers, the solver itself as `own`. */
  peers: readonly PeerFigures[]
  /** Share of a proposer's samples that became proposals; null for answers. */
  validShare: number | null
  loss: number | null
  /** Nats a token that the update moved the policy; measured on groups of others. */
  kl: number | null
  /** Share of tokens that the update moved out of the clip range; measured on groups of others. */
  clipFraction: number | null
  /** Before clipping. */
  gradientNorm: number | null
  learningRate: number
  /** Tokens fed to the update. */
  tokens: number
  seconds: number
  /** Reason why the update was not kept; null if it was, or if no group has a gradient. */
  failure: string | null
}

/** A step with the figures of its own groups, and with those of the groups of others; null if it has no such groups. */
type StepByWhose = { own: TrainingStep | null; others: TrainingStep | null }

/** Updates that were tried, with those that were not kept; groups without a gradient make none. */
type TrainingTotals = { steps: number; failed: number; tokens: number; seconds: number }

/** A log of a solver's or proposer's updates for its operator; for anybody else it is an unproven claim. */
export type TrainingLog = {
  note(step: TrainingStep): void
  /** The last step with groups of its own, and the last one with groups of others, each with the figures of those groups. */
  latest(): StepByWhose
  /** Figures of each peer's answers in the last step on them, by its key: of the peers that were learned from last. */
  latestOfPeers(): ReadonlyMap<string, PassFigures>
  totals(): TrainingTotals
  /** Resolves once all lines are on the disk. */
  close(): Promise<void>
}

/** In the peer's folder: a line a step. */
export const TRAINING_FILE = 'training.jsonl'
/** Peers whose last figures are kept for the metrics. */
const MAX_PEERS = 64

type Options = FigureFiles & { round: () => number | null }

/** Writes each step to the peer's folder, as a JSON line and as TensorBoard events, and to the log. */
export function createTrainingLog({ folder, round, clock, logger }: Options): TrainingLog {
  /** From the first step on: other roles have none. */
  let lines: RotatingFileStream | null = null
  const events = createEventLog({ folder, clock, logger })
  const ofPeers = new Map<string, PassFigures>()
  const latest: StepByWhose = { own: null, others: null }
  const totals: TrainingTotals = { steps: 0, failed: 0, tokens: 0, seconds: 0 }

  return {
    note(step) {
      lines ??= openFigures(TRAINING_FILE, folder, logger)
      const [nowMs, now] = [clock.nowMs(), round()]
      lines.write(`${JSON.stringify({ at: new Date(nowMs).toISOString(), round: now, ...step })}\n`)
      events.note(Math.max(0, now ?? 0), stepScalars(step))
      logger.info('update', { round: now, ...step })
      const { own, others } = byWhose(step)
      latest.own = own ?? latest.own
      latest.others = others ?? latest.others
      for (const { peer, ...figures } of step.peers) {
        ofPeers.delete(peer)
        ofPeers.set(peer, figures)
        if (ofPeers.size > MAX_PEERS) ofPeers.delete(ofPeers.keys().next().value ?? '')
      }
      totals.steps += isUpdate(step) ? 1 : 0
      totals.failed += step.failure === null ? 0 : 1
      totals.tokens += step.tokens
      totals.seconds += step.seconds
    },
    latest: () => latest,
    latestOfPeers: () => ofPeers,
    totals: () => totals,
    async close() {
      await Promise.all([ended(lines), events.close()])
    },
  }
}

/** Whether an update was made or tried: groups without a gradient make none. */
const isUpdate = ({ groupsUsed, failure }: TrainingStep) => groupsUsed > 0 || failure !== null

function byWhose(step: TrainingStep): StepByWhose {
  if (step.ownGroups === 0) return { own: null, others: step }
  return { own: step, others: step.others && { ...step, ...step.others } }
}

/**
 * Measured figures of a step as curves, separate for own groups and for those of each other peer. Loss, KL and other figures of the update itself
 * are under `own` and under `others` if it is on groups of both.
 */
export function stepScalars(step: TrainingStep): Scalars {
  const curves = Object.entries(byWhose(step)).map(([whose, one]) => (one === null ? {} : curvesOf(one, whose)))
  const ofPeers = step.peers.flatMap(one => passCurves(`peer ${one.peer}`, one))
  return Object.assign({}, ...curves, Object.fromEntries(ofPeers))
}

function curvesOf(step: TrainingStep, whose: string): Scalars {
  const { levels, proposers, families, datasets, peers, peer, others, failure, ...figures } = step
  const numbers = Object.entries(figures).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  const passes = [
    ...levels.map(one => [`level ${one.level}`, one] as const),
    ...proposers.map(one => [`proposer ${one.proposer}`, one] as const),
    ...families.map(one => [`family ${one.family}`, one] as const),
    ...datasets.map(one => [`dataset ${one.dataset}`, one] as const),
  ]
  return Object.fromEntries([
    ...numbers.map(([name, value]) => [`${whose}/${name}`, value] as const),
    ...passes.flatMap(([of, one]) => passCurves(`${whose} ${of}`, one)),
    [`${whose}/kept`, failure === null && isUpdate(step) ? 1 : 0],
  ])
}

function passCurves(of: string, { averageAtK, passAt1, passAtK, samples }: PassFigures): [string, number][] {
  return [
    [`${of}/average@${samples}`, averageAtK.value],
    [`${of}/pass@1`, passAt1.value],
    [`${of}/pass@${samples}`, passAtK.value],
  ]
}
