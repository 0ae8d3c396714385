import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { siblingModule } from '#base/siblingModule.ts'
import type { Device } from './device.ts'
import { type Adapter, nvidiaRemedy, readAdapter, readLoaderErrors } from './vulkanLog.ts'

/** First use of a GPU compiles its kernels, which takes seconds. */
const PROBE_MS = 30_000

/** Most characters of a reason that are a driver's own words: four lines, for two libraries that fail. */
const MOST_QUOTED = 500

/** The result of running a graph on a device. */
export interface DeviceTrial {
  /** Null if graphs run on it; otherwise the reason, as one sentence. */
  readonly reason: string | null
  /** Adapter of a device that works, where Vulkan's loader names it; otherwise null. */
  readonly adapter: Adapter | null
}

/**
 * Tests whether graphs run on a device, by running one in another process.
 *
 * @param type - number type of the test.
 */
export function tryDevice(device: Device, type: 'float32' | 'float16' = 'float32'): Promise<DeviceTrial> {
  if (device === 'cpu') return Promise.resolve({ reason: null, adapter: null })
  return new Promise(resolve => {
    const argv = [siblingModule(import.meta, 'probeDevice'), device, type]
    execFile(process.execPath, argv, { timeout: PROBE_MS }, (error, _, stderr) => {
      if (error === null) return resolve({ reason: null, adapter: readAdapter(stderr) })
      const late = `It does not answer within ${PROBE_MS / 1000} s.`
      resolve({ reason: error.killed === true ? late : reasonOf(device, stderr), adapter: null })
    })
  })
}

function reasonOf(device: Device, stderr: string): string {
  if (/does not compute in float16/.test(stderr)) return 'It has no 16-bit arithmetic (shader-f16 of WebGPU).'
  if (/No supported adapters|Failed to get a WebGPU adapter/.test(stderr)) return withoutAdapter(stderr)
  if (device === 'cuda' && /shared library|not supported|not available|no available backend/i.test(stderr))
    return 'ONNX Runtime is installed without CUDA: run ONNXRUNTIME_NODE_INSTALL=cuda12 npm rebuild --ignore-scripts=false onnxruntime-node, with CUDA 12 and cuDNN 9 installed.'
  const line = stderr.split('\n').find(text => /Error/.test(text)) ?? 'The process ended without a message.'
  return line.trim().slice(0, MOST_QUOTED)
}

function withoutAdapter(stderr: string): string {
  if (/Couldn't load Vulkan/.test(stderr))
    return 'There is no Vulkan driver: install libvulkan1 and the driver of the GPU.'
  const errors = readLoaderErrors(stderr)
  const quoted = errors === '' ? '' : ` Vulkan's loader says: ${errors.slice(0, MOST_QUOTED)}.`
  return `No GPU offers what WebGPU needs.${quoted}${nvidiaRemedy(errors, existsSync('/proc/driver/nvidia/version'))}`
}
