import { execFile } from 'node:child_process'
import { siblingModule } from '#base/siblingModule.ts'
import type { Device } from './device.ts'

/** First use of a GPU compiles its kernels, which takes seconds. */
const PROBE_MS = 30_000

/**
 * Tests whether graphs run on a device, by running one in another process.
 *
 * @param type - number type of the test.
 * @returns null if they do; otherwise the reason, as one sentence.
 */
export function tryDevice(device: Device, type: 'float32' | 'float16' = 'float32'): Promise<string | null> {
  if (device === 'cpu') return Promise.resolve(null)
  return new Promise(resolve => {
    const argv = [siblingModule(import.meta, 'probeDevice'), device, type]
    execFile(process.execPath, argv, { timeout: PROBE_MS }, (error, _, stderr) => {
      if (error === null) return resolve(null)
      if (error.killed === true) return resolve(`It does not answer within ${PROBE_MS / 1000} s.`)
      resolve(reasonOf(device, stderr))
    })
  })
}

function reasonOf(device: Device, stderr: string): string {
  if (/does not compute in float16/.test(stderr)) return 'It has no 16-bit arithmetic (shader-f16 of WebGPU).'
  if (/No supported adapters|Failed to get a WebGPU adapter/.test(stderr))
    return /Couldn't load Vulkan/.test(stderr)
      ? 'There is no Vulkan driver: install libvulkan1 and the driver of the GPU.'
      : 'No GPU offers what WebGPU needs.'
  if (device === 'cuda' && /shared library|not supported|not available|no available backend/i.test(stderr))
    return 'ONNX Runtime is installed without CUDA: run ONNXRUNTIME_NODE_INSTALL=cuda12 npm rebuild --ignore-scripts=false onnxruntime-node, with CUDA 12 and cuDNN 9 installed.'
  const line = stderr.split('\n').find(text => /Error/.test(text)) ?? 'The process ended without a message.'
  return line.trim().slice(0, 300)
}
