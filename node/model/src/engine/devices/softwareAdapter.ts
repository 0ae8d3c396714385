import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** SwiftShader, a Vulkan device in software, and a Vulkan loader: Debian's chromium-common has both. */
const folder = '/usr/lib/chromium'
const variables = { LD_LIBRARY_PATH: folder, VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json') }

/**
 * The environment of a process in which WebGPU runs on a software device, for tests. A separate process, since a driver may crash.
 *
 * @param isRequired - throws if the machine has none.
 * @returns null if the machine has none.
 */
export function softwareAdapter(isRequired: boolean): Readonly<Record<string, string>> | null {
  if (existsSync(variables.VK_ICD_FILENAMES)) return variables
  if (isRequired) throw new Error('no SwiftShader: run "apt-get install chromium"')
  console.warn('ran without WebGPU: there is no software adapter on this machine')
  return null
}
