import { chooseIntegerKernels, type KernelChoice } from '#engine/integerKernels.ts'
import { parseDecoderConfig, readDecoderConfig } from './decoderConfig.ts'
import { integerMatrixShapes } from './quantizedTensors.ts'

// What models can run on, for layers that do not see the engine.
export { choose, type DeviceReport, reportDevices } from '#engine/chooseDevice.ts'
export { type Device, devices } from '#engine/device.ts'
export { tryDevice } from '#engine/tryDevice.ts'

/** The model whose shapes are timed where none is named: Qwen2.5-0.5B. */
const commonShape = parseDecoderConfig({
  model_type: 'qwen2',
  vocab_size: 151_936,
  hidden_size: 896,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  max_position_embeddings: 32_768,
})

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
