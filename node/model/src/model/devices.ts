import { SessionError } from '#engine/engineError.ts'
import { chooseIntegerKernels, type KernelChoice } from '#engine/integerKernels.ts'
import { commonShape } from './decoder/commonShape.ts'
import { readDecoderConfig } from './decoder/decoderConfig.ts'
import { integerMatrixShapes } from './quantization/quantizedTensors.ts'

// Devices for models, for layers that do not import the engine.
export { choose, type DeviceReport, gpuMemory, reportDevices } from '#engine/devices/chooseDevice.ts'
export { describeMachine } from '#engine/devices/describeMachine.ts'
export { type Device, devices } from '#engine/devices/device.ts'
export { freeMemory } from '#engine/devices/freeMemory.ts'
export { tryDevice } from '#engine/devices/tryDevice.ts'

/** Kernels for 8-bit products, or the reason why this CPU has no exact one. */
interface IntegerKernelReport {
  readonly integerKernels: readonly KernelChoice[]
  readonly integerReason: string | null
}

/**
 * The kernels that an 8-bit model would run on this CPU, timed on its shapes.
 *
 * @param folder - the model's folder; Qwen2.5-0.5B's shapes without it.
 * @param choose - times them; the report says if they are not exact on this CPU.
 * @throws {ModelFileError} if the folder does not hold a model.
 */
export async function reportIntegerKernels(
  folder?: string,
  choose: typeof chooseIntegerKernels = chooseIntegerKernels,
): Promise<IntegerKernelReport> {
  const config = folder === undefined ? commonShape : await readDecoderConfig(folder)
  try {
    return { integerKernels: await choose(integerMatrixShapes(config)), integerReason: null }
  } catch (error) {
    if (error instanceof SessionError) return { integerKernels: [], integerReason: error.message }
    throw error
  }
}
