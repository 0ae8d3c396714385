import { type Device, devices } from '#model/devices.ts'
import type { Values } from '../command.ts'
import { unknownWord } from '../nearest.ts'

/** @throws {UsageError} if it is none. */
export function parseDevice(value: Values[string]): Device | 'auto' {
  const names = [...devices, 'auto'] as const
  const found = names.find(name => name === value)
  if (found) return found
  throw unknownWord('device', String(value), names)
}
