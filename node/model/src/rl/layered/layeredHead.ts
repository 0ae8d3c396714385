import { type Session, type Tensor, tensor } from '#engine/session.ts'
import { addTo, type GradientSums } from '../passes/gradientPass.ts'
import { gradientName, type LossKind } from '../passes/trainingGraphs.ts'
import { type Feeds, rowsOf } from './layeredFeeds.ts'

/** The output layer, which runs over some rows at a time. */
export interface HeadRun {
  readonly session: Session
  /** Feeds of the head's weights. */
  readonly own: Feeds
  /** Rows at a time. */
  readonly headRows: number
}

/**
 * Forwards and backwards: the loss, and the gradients of the output layer's weights.
 *
 * @param feeds - inputs of the loss for each row.
 * @param dhidden - filled with the gradient of `hidden`.
 */
export async function runHead(
  { session, own, headRows }: HeadRun,
  loss: LossKind,
  feeds: Feeds & { readonly hidden: Tensor },
  dhidden: Tensor,
): Promise<{ loss: number; gradients: GradientSums }> {
  const rows = feeds.hidden.shape[0] as number
  const whole = loss.kind === 'policy' && loss.importanceSamplingLevel === 'sequence'
  const step = whole ? rows : Math.min(rows, headRows)
  const gradients: GradientSums = new Map()
  let total = 0
  for (let from = 0; from < rows; from += step) {
    const to = Math.min(rows, from + step)
    const part = (t: Tensor) => (whole || t.shape[0] !== rows ? t : rowsOf(t, from, to))
    const chunk = Object.fromEntries(Object.entries(feeds).map(([name, t]) => [name, part(t)]))
    const outputs = await session.run(
      { ...chunk, ...own },
      Object.fromEntries([...session.model.outputs.keys()].map(n => [n, n === 'dhidden' ? part(dhidden) : null])),
    )
    total += (outputs.loss as Tensor<'f32'>).data[0] as number
    for (const name of Object.keys(own)) {
      const gradient = outputs[gradientName(name)] as Tensor<'f32'> | undefined
      if (gradient) addTo(gradients, name, gradient.data)
    }
  }
  return { loss: total, gradients }
}

/** Log-probabilities of the targets, one for each row. */
export async function headLogprobs(
  { session, own, headRows }: HeadRun,
  hidden: Tensor,
  targets: Tensor,
  rows: number,
): Promise<Float32Array> {
  const logprobs = new Float32Array(rows)
  for (let from = 0; from < rows; from += headRows) {
    const to = Math.min(rows, from + headRows)
    const feeds = { hidden: rowsOf(hidden, from, to), targets: rowsOf(targets, from, to), ...own }
    await session.run(feeds, { logprobs: tensor('f32', logprobs.subarray(from, to), [to - from]) })
  }
  return logprobs
}
