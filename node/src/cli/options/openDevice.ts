import { type Device, reportDevices, tryDevice } from '#model/devices.ts'
import { UsageError } from '../usageError.ts'

/**
 * The device for a peer's models, tested before anything is started on it.
 *
 * @throws {UsageError} if the named device does not work.
 */
export async function openDevice(wanted: Device | 'auto', hasChatModels: boolean): Promise<Device> {
  if (wanted === 'auto') return hasChatModels ? (await reportDevices()).chosen : 'cpu'
  const { reason } = await tryDevice(wanted)
  if (reason === null) return wanted
  throw new UsageError(`Models cannot run on ${wanted} here. ${reason}`, {
    hint: 'npx waggle devices tries each device; auto takes the best that works.',
  })
}
