import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { type Device, devices } from '#model/devices.ts'
import type { LoadOptions } from '#model/generation/loadGenerator.ts'
import { precisions } from '#model/quantization/precision.ts'
import { copyOptions } from './copyOptions.ts'
import { openDevice } from './openDevice.ts'
import { count, decimal, flag, textOption } from './optionKinds.ts'

const deviceNames = [...devices, 'auto'] as const

/** How a command runs a model on this machine. */
export const machineOptions = {
  precision: z
    .enum(precisions)
    .optional()
    .meta({ value: 'NAME', description: 'float32, float16, int8 or int4 (default float32)' }),
  cache: textOption('DIR', "folder of quantised copies (default .waggle in the model's folder)"),
  device: z.enum(deviceNames).optional().meta({
    value: 'NAME',
    description: 'cpu, webgpu, cuda, or auto for the device that npx waggle devices recommends (default cpu)',
  }),
}

export const threadsOption = count(1, 256)
  .optional()
  .meta({ value: 'N', description: 'threads of a matrix product (default: all of the machine)' })

/** How a command samples a model's answers. */
export const drawOptions = {
  greedy: flag('take the most likely token instead of sampling'),
  temperature: decimal('divides the logits (default 1)'),
  'top-k': decimal('only the N most likely tokens', 'N'),
  'top-p': decimal('only the most likely tokens that together have this probability'),
  'min-p': decimal('only tokens at least this share as likely as the most likely one'),
  'repetition-penalty': decimal('divides the logits of tokens that already occurred'),
}

type MachineValues = z.infer<z.ZodObject<typeof machineOptions>> & { threads?: number | undefined }

/** How a model is loaded by the options. The device is tried first. @throws {UsageError} if a named device does not work. */
export async function loadOptions(values: MachineValues): Promise<LoadOptions & { threads: number; device: Device }> {
  const { precision = 'float32', threads = availableParallelism(), device = 'cpu' } = values
  return { ...copyOptions(values), threads, precision, device: await openDevice(device, true) }
}
