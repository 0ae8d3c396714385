import { randomStream } from '../../node/model/src/base/random.ts'
import { shuffledBatches } from '../../node/model/src/model/decoder/batch.ts'
import type { Trainer, TrainingSequence } from '../../node/model/src/rl/trainer.ts'

type StreamOptions = {
  /** Tokens fed in all. */
  tokens: number
  learningRate: number
  batchSize: number
  seed: number
  /** Called every 20 seconds or so. */
  say(line: string): void
  now(): number
}

const WARM_UP_STEPS = 40
const REPORT_EVERY_MS = 20_000

/**
 * Trains on fresh data until the budget is spent; the rate falls along half a cosine.
 *
 * @param nextChunk - makes the next sequences; never the same twice.
 * @returns steps taken and the smoothed loss at the end.
 */
export async function trainOnStream(
  trainer: Trainer,
  nextChunk: (index: number) => Promise<TrainingSequence[]>,
  { tokens, learningRate, batchSize, seed, say, now }: StreamOptions,
): Promise<{ steps: number; tokens: number; loss: number }> {
  const random = randomStream('batches', String(seed))
  const startedMs = now()
  let reportedMs = startedMs
  let [steps, seen, loss] = [0, 0, Number.NaN]
  for (let chunk = 0; seen < tokens; chunk++) {
    const sequences = await nextChunk(chunk)
    const lengths = sequences.map(sequence => sequence.tokens.length)
    for (const batch of shuffledBatches(lengths, batchSize, random)) {
      if (seen >= tokens) break
      steps++
      const rate = learningRate * Math.min(steps / WARM_UP_STEPS, 1) * (0.5 + 0.5 * Math.cos((Math.PI * seen) / tokens))
      const report = await trainer.crossEntropyStep(
        batch.map(i => sequences[i] as TrainingSequence),
        rate + 1e-6,
      )
      seen += report.tokens
      loss = Number.isNaN(loss) ? report.loss : 0.97 * loss + 0.03 * report.loss
      if (now() - reportedMs < REPORT_EVERY_MS) continue
      reportedMs = now()
      const perSecond = seen / ((reportedMs - startedMs) / 1_000)
      const left = Math.round((tokens - seen) / perSecond)
      say(`step ${steps}, ${(seen / 1e6).toFixed(2)}M tokens, loss ${loss.toFixed(3)}, ${left} s left`)
    }
  }
  return { steps, tokens: seen, loss: Number(loss.toFixed(4)) }
}
