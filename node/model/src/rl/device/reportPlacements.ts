import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { siblingModule } from '#base/siblingModule.ts'
import type { Device } from '#engine/devices/device.ts'
import { type Placements, readPlacements } from '#engine/devices/placements.ts'
import { SessionError } from '#engine/engineError.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'

/** Some thirty programs, whose log is some tens of megabytes. */
const LOG_BYTES = 2 ** 28

/**
 * Reports which nodes of a peer's programs for a decoder have a kernel on a device, and which run on the CPU.
 *
 * @returns placements by the program's name.
 * @throws {SessionError} if the device refuses one of the programs.
 */
export async function reportPlacements(config: DecoderConfig, device: Device): Promise<Map<string, Placements>> {
  const argv = [siblingModule(import.meta, 'placementsProbe'), JSON.stringify({ config, device })]
  try {
    const { stderr } = await promisify(execFile)(process.execPath, argv, { maxBuffer: LOG_BYTES })
    return readPlacements(stderr)
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string }
    const reason = stderr.split('\n').findLast(line => /^\S*Error: /.test(line)) ?? 'its process ended'
    throw new SessionError(`${device} does not take a model's programs: ${reason}`, {
      hint: 'Use another device; npx waggle devices says which work.',
      cause,
    })
  }
}
