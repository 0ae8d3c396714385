/**
 * Finds NVIDIA's Vulkan driver where the loader does not: `node vulkanDriver.ts FOLDER` prints a value for VK_DRIVER_FILES, or nothing if the
 * loader needs none. Writes driver files to FOLDER.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tryDevice } from '../../../node/model/src/engine/devices/tryDevice.ts'

/** Google's nodes keep their file outside the loader's paths. */
const KNOWN = '/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json'

/** Both hold the driver. The first fails on some servers without a display, where the second works. Containers may get no file for either. */
const LIBRARIES = ['libGLX_nvidia.so.0', 'libEGL_nvidia.so.0']

/** After this no further file is tried: a driver that hangs takes 30 s a time. */
const TRIALS_MS = 45_000

/** Tells which kind of device answers with some driver files, or with those that the loader finds itself. */
export type Trial = (driverFiles: string | null) => Promise<'gpu' | 'software' | 'nothing'>

/**
 * The first driver files with which something answers. If nothing does, all that were written: the loader then says why each library fails.
 *
 * @returns null if the loader needs none.
 */
export async function findDriver(
  folder: string,
  attempt: Trial,
  now = () => performance.now(),
): Promise<string | null> {
  const found = await attempt(null)
  if (found === 'gpu') return null
  const written = await Promise.all(LIBRARIES.map(library => writeDriverFile(folder, library)))
  for (const file of [KNOWN, ...written]) if (now() < TRIALS_MS && (await attempt(file)) !== 'nothing') return file
  return found === 'software' ? null : written.join(':')
}

/** @see https://github.com/KhronosGroup/Vulkan-Loader/blob/main/docs/LoaderDriverInterface.md */
async function writeDriverFile(folder: string, library: string): Promise<string> {
  const path = join(folder, `${library}.json`)
  const driver = { file_format_version: '1.0.0', ICD: { library_path: library, api_version: '1.3.0' } }
  await writeFile(path, JSON.stringify(driver))
  return path
}

async function attempt(driverFiles: string | null): Promise<'gpu' | 'software' | 'nothing'> {
  // Loaders before 1.3.207 know the second only.
  if (driverFiles !== null) Object.assign(process.env, { VK_DRIVER_FILES: driverFiles, VK_ICD_FILENAMES: driverFiles })
  const { reason, adapter } = await tryDevice('webgpu')
  if (reason !== null) return 'nothing'
  return adapter?.isSoftware ? 'software' : 'gpu'
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write((await findDriver(process.argv[2] ?? '', attempt)) ?? '')
