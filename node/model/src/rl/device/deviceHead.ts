import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import type { Feed, Session, Tensor } from '#engine/session.ts'
import { deviceArrays } from '#model/generation/deviceArrays.ts'
import { type Feeds, rowsOf } from '../layered/layeredFeeds.ts'
import type { GradientSums } from '../passes/gradientPass.ts'
import { gradientName, type LossKind } from '../passes/trainingGraphs.ts'
import { addThere } from './deviceSums.ts'

/** The output layer on a device, which runs over some rows at a time. */
export interface DeviceHeadRun {
  readonly device: Device
  readonly session: Session
  /** Feeds of the head's weights. */
  readonly own: Readonly<Record<string, Feed>>
  /** Rows at a time. */
  readonly headRows: number
}

/**
 * Forwards and backwards, as `runHead`, except that gradients stay on the device.
 *
 * @param hidden - [M, hidden].
 * @param feeds - inputs of the loss for each row.
 * @param sums - take the gradients of the output layer's weights.
 */
export async function runDeviceHead(
  head: DeviceHeadRun,
  loss: LossKind,
  hidden: DeviceTensor,
  feeds: Feeds,
  sums: GradientSums<DeviceTensor>,
): Promise<{ loss: number; dhidden: DeviceTensor }> {
  const isWhole = loss.kind === 'policy' && loss.importanceSamplingLevel === 'sequence'
  let total = 0
  let dhidden: DeviceTensor | undefined
  for await (const { rows, from, to } of parts(head, hidden, isWhole)) {
    const chunk = Object.entries(feeds).map(([name, t]) => [
      name,
      t.shape[0] === hidden.shape[0] ? rowsOf(t, from, to) : t,
    ])
    const wanted = [...head.session.model.outputs.keys()]
    const { results, kept } = await head.session.runKeeping(
      { hidden: rows, ...Object.fromEntries(chunk), ...head.own },
      wanted,
    )
    total += (results.loss as Tensor<'f32'>).data[0] as number
    for (const name of Object.keys(head.own)) {
      const gradient = kept[gradientName(name)]
      if (gradient) await addThere(head.device, sums, name, gradient)
    }
    dhidden = await joined(head.device, dhidden, kept.dhidden as DeviceTensor)
  }
  return { loss: total, dhidden: dhidden as DeviceTensor }
}

/** Log-probabilities of the targets, one for each row. */
export async function deviceHeadLogprobs(
  head: DeviceHeadRun,
  hidden: DeviceTensor,
  targets: Tensor,
): Promise<Float32Array> {
  const logprobs = new Float32Array(hidden.shape[0] as number)
  for await (const { rows, from, to } of parts(head, hidden, false)) {
    const given = await head.session.run({ hidden: rows, targets: rowsOf(targets, from, to), ...head.own }, [
      'logprobs',
    ])
    logprobs.set((given.logprobs as Tensor<'f32'>).data, from)
  }
  return logprobs
}

/** Rows of the hidden states, as many at a time as the output layer takes. */
async function* parts({ device, headRows }: DeviceHeadRun, hidden: DeviceTensor, isWhole: boolean) {
  const count = hidden.shape[0] as number
  const step = isWhole ? count : Math.min(count, headRows)
  for (let from = 0; from < count; from += step) {
    const to = Math.min(count, from + step)
    if (to - from === count) {
      yield { rows: hidden, from, to }
      continue
    }
    const rows = await deviceArrays(device).rows(hidden, from, to)
    yield { rows, from, to }
    rows.dispose()
  }
}

async function joined(device: Device, before: DeviceTensor | undefined, part: DeviceTensor): Promise<DeviceTensor> {
  if (!before) return part
  const whole = await deviceArrays(device).joinRows(before, part)
  before.dispose()
  part.dispose()
  return whole
}
