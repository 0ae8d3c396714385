import { Gauge, type Registry } from 'prom-client'
import type { PassFigures } from './passByLevel.ts'
import type { TrainingLog, TrainingStep } from './trainingLog.ts'

/** Figures of one update, by the name of their metric. */
const stepFigures: Record<string, readonly [help: string, read: (step: TrainingStep) => number | null]> = {
  reward_mean: ['Mean composite score of the completions.', step => step.reward],
  pass_at_1_ratio: ['Mean predicted correctness of the completions.', step => step.passAt1],
  valid_ratio: ['Share of what a proposer sampled that was put up.', step => step.validShare],
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
  average_at_k_ratio: ['Mean predicted correctness of the answers.', figures => figures.averageAtK.value],
  average_at_k_low_ratio: ['Lower end of its 95 % interval.', figures => figures.averageAtK.low],
  average_at_k_high_ratio: ['Upper end of its 95 % interval.', figures => figures.averageAtK.high],
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

/** Labels of those figures, with their values. */
const figuresBy: Record<string, (step: TrainingStep) => (readonly [string | number, PassFigures])[]> = {
  level: step => step.levels.map(one => [one.level, one] as const),
  proposer: step => step.proposers.map(one => [one.proposer, one] as const),
  family: step => step.families.map(one => [one.family, one] as const),
  dataset: step => step.datasets.map(one => [one.dataset, one] as const),
}

/**
 * Figures of the last updates on own groups and on those of others, and of each peer's groups. An update on both has the figures of its answers
 * apart, and those of itself, such as its loss, under both labels.
 */
export function registerTraining(registry: Registry, training: Pick<TrainingLog, 'latest' | 'latestOfPeers'>): void {
  for (const [name, [help, read]] of Object.entries(stepFigures)) {
    new Gauge({
      ...{ name: `waggle_training_${name}`, help: `${help} By whose groups it was on.`, labelNames: ['groups'] },
      registers: [registry],
      collect() {
        this.reset()
        for (const [groups, step] of Object.entries(training.latest())) {
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
          for (const [groups, step] of Object.entries(training.latest()))
            for (const [value, figures] of step === null ? [] : figuresOf(step))
              this.set({ groups, [of]: value }, read(figures))
        },
      })
    }
  for (const [name, [help, read]] of Object.entries(passFigures))
    new Gauge({
      ...{ name: `waggle_training_peer_${name}`, help: `${help} By the peer that sampled them.` },
      ...{ labelNames: ['peer'], registers: [registry] },
      collect() {
        this.reset()
        for (const [peer, figures] of training.latestOfPeers()) this.set({ peer }, read(figures))
      },
    })
}
