import type { Device } from '#model/devices.ts'
import { openDevice } from '../options/openDevice.ts'
import { UsageError } from '../usageError.ts'
import { type Finding, failure, ok } from './finding.ts'

/** Checks whether models run on the device of the settings, as `start` does before it starts anything. The device is null if none runs. */
export async function checkDevice(
  wanted: Device | 'auto',
  hasChatModels: boolean,
): Promise<{ finding: Finding; device: Device | null }> {
  try {
    const device = await openDevice(wanted, hasChatModels)
    return { finding: ok('device', wanted === 'auto' ? `${device}, which auto takes` : device), device }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { finding: failure('device', error.message, error.hint), device: null }
  }
}
