import { chooseIntegerKernels, type KernelChoice } from '#engine/integerKernels.ts'
import { commonShape } from './commonShape.ts'
import { readDecoderConfig } from './decoderConfig.ts'
import { integerMatrixShapes } from './quantizedTensors.ts'

// What models can run on, for layers that do not see the engine.
export { choose, type DeviceReport, reportDevices } from '#engine/chooseDevice.ts'
export { type Device, devices } from '#engine/device.ts'
export { tryDevice } from '#engine/tryDevice.ts'

/**
 * The kernels that an 8-bit model would run on this CPU, timed on its shapes.
 *
 * @param folder - the model's folder; Qwen2.5-0.5B's shapes without it.
 * @throws {SessionError} if this CPU's 8-bit products are not exact.
 */
export async function reportIntegerKernels(folder?: string): Promise<KernelChoice[]> {
  const config = folder === undefined ? commonShape : await readDecoderConfig(folder)
  return chooseIntegerKernels(integerMatrixShapes(config))
}
