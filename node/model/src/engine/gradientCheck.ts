import type { OnnxModel } from './onnxModel.ts'
import { createSession, type Session, type Tensor } from './session.ts'

interface GradientCheck {
  /** Largest difference between a gradient and its finite difference, relative to the largest of its tensor. */
  readonly worst: number
  /** Where: `<input>[<index>]`. */
  readonly at: string
  readonly checked: number
}

/**
 * Compares a model's gradients with central finite differences of its loss, in float64.
 *
 * @param model - outputs `loss` (scalar f64) and `gradient.<input>` for each input to check.
 * @param feeds - moved element by element while this runs, and put back.
 * @param perTensor - elements checked in each input, spread evenly; all by default.
 * @param step - 1e-5: the error of the formula (step squared) and of rounding (1e-16 / step) are then both near 1e-10.
 */
export async function checkGradients(
  model: OnnxModel,
  feeds: Record<string, Tensor>,
  { perTensor = Number.POSITIVE_INFINITY, step = 1e-5 } = {},
): Promise<GradientCheck> {
  const session = await createSession(model, { threads: 1 })
  try {
    const gradients = await session.run(feeds)
    let result: GradientCheck = { worst: 0, at: '', checked: 0 }
    for (const name of model.inputs.keys()) {
      const gradient = gradients[`gradient.${name}`] as Tensor<'f64'> | undefined
      if (!gradient) continue
      const { data } = feeds[name] as Tensor<'f64'>
      const largest = gradient.data.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-3)
      const stride = Math.max(1, Math.floor(data.length / perTensor))
      for (let i = 0; i < data.length; i += stride) {
        const difference = await centralDifference(session, feeds, data, i, step)
        const error = Math.abs(difference - (gradient.data[i] as number)) / largest
        result = { ...result, checked: result.checked + 1 }
        if (!(error <= result.worst)) result = { ...result, worst: error, at: `${name}[${i}]` }
      }
    }
    return result
  } finally {
    await session.dispose()
  }
}

async function centralDifference(
  session: Session,
  feeds: Record<string, Tensor>,
  data: Float64Array,
  i: number,
  step: number,
): Promise<number> {
  const loss = async () => ((await session.run(feeds, ['loss'])).loss as Tensor<'f64'>).data[0] as number
  const original = data[i] as number
  data[i] = original + step
  const above = await loss()
  data[i] = original - step
  const below = await loss()
  data[i] = original
  return (above - below) / (2 * step)
}
