import type { Device } from './devices/device.ts'
import { DeviceError, SessionError, SessionMemoryError } from './engineError.ts'

/**
 * The runtime's messages when it runs out of memory. A GPU's first message goes to its log; later ones name an invalid buffer, or one larger than the
 * device allows.
 */
const SHORTAGE = /alloc|out of memory|is invalid due to a previous error|exceeds the max buffer size/i

/** WebGPU without the feature shader-f16. */
const NO_FLOAT16 = /requires f16 but the device does not support it/

/** The runtime did not create a session. */
export function refusal(device: Device, cause: unknown): SessionError {
  const reason = reasonOf(cause)
  if (SHORTAGE.test(reason)) return shortage('ONNX Runtime refused the model', cause)
  if (device === 'cpu') return new SessionError(`ONNX Runtime refused the model: ${reason}`, { hint: WHOLE, cause })
  return new SessionError(`models cannot run on ${device} here: ${reason}`, {
    hint: 'reportDevices of @waggle/model and npx waggle devices say which devices work, and why another does not.',
    cause,
  })
}

/** A run failed. Unless a GPU ran out of memory, the process no longer trusts the device: it may be lost. */
export function runFailure(device: Device, cause: unknown): SessionError {
  const [message, reason] = ['ONNX Runtime failed to run the model', reasonOf(cause)]
  if (SHORTAGE.test(reason)) return shortage(message, cause)
  if (NO_FLOAT16.test(reason))
    return new SessionError(`${device} here does not compute in float16`, {
      hint: 'Choose another precision: float32, int8 or int4. npx waggle devices says which devices have float16.',
      cause,
    })
  if (device === 'cpu') return new SessionError(`${message}: ${reason}`, { hint: WHOLE, cause })
  return new DeviceError(`${message} on ${device}: ${reason}`, {
    hint: 'The worker restarts automatically. If it happens again, update the driver, or use --device cpu.',
    retryable: true,
    cause,
  })
}

const WHOLE = 'Check that onnxruntime-node 1.30.0 is installed whole.'

const shortage = (message: string, cause: unknown) =>
  new SessionMemoryError(`${message}: ${reasonOf(cause)}`, { hint: 'Free some memory, or use smaller batches.', cause })

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
