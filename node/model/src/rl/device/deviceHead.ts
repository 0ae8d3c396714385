import type { Device } from '#engine/devices/device.ts'
import type { DeviceTensor } from '#engine/devices/deviceTensor.ts'
import type { Feed, Session, Tensor } from '#engine/session.ts'
import { deviceArrays } from '#model/generation/deviceArrays.ts'
import { type Feeds, rowsOf } from '../layered/layeredFeeds.ts'
import type { GradientSums } from '../passes/gradientPass.ts'
import type { LiveTensors } from '../passes/liveTensors.ts'
import { gradientName, type LossKind } from '../passes/trainingGraphs.ts'
import { addAllThere } from './deviceSums.ts'

/** The output layer on a device, which runs over some rows at a time. */
export interface DeviceHeadRun {
  readonly device: Device
  readonly session: Session
  /** Feeds of the head's weights. */
  readonly own: Readonly<Record<string, Feed>>
  /** Rows at a time. */
  readonly headRows: number
}

/** Owners of what a run backwards computes. */
export interface BackwardResults {
  /** Take the gradients of trained tensors. */
  readonly sums: GradientSums<DeviceTensor>
  /** Take the gradients of activations. */
  readonly live: LiveTensors
}

/**
 * Forwards and backwards, as `runHead`, except that gradients stay on the device.
 *
 * @param hidden - [M, hidden].
 * @param feeds - inputs of the loss for each row.
 */
export async function runDeviceHead(
  head: DeviceHeadRun,
  loss: LossKind,
  { hidden, feeds }: { readonly hidden: DeviceTensor; readonly feeds: Feeds },
  { sums, live }: BackwardResults,
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
    const part = live.add(kept.dhidden as DeviceTensor)
    const gradients = Object.keys(head.own).flatMap(name => {
      const gradient = kept[gradientName(name)]
      return gradient ? [[name, gradient] as const] : []
    })
    await addAllThere(head.device, sums, gradients)
    dhidden = dhidden ? await joined(head.device, dhidden, part, live) : part
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
    try {
      yield { rows, from, to }
    } finally {
      rows.dispose()
    }
  }
}

async function joined(device: Device, before: DeviceTensor, part: DeviceTensor, live: LiveTensors) {
  const whole = live.add(await deviceArrays(device).joinRows(before, part))
  live.free(before, part)
  return whole
}
