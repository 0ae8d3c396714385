/**
 * Finds NVIDIA's Vulkan driver where the loader does not: `node vulkanDriver.ts FOLDER` prints a value for VK_DRIVER_FILES, `unset` if the loader finds
 * it without the value that is set, or nothing if the environment is right as it is. Writes driver files to FOLDER.
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

/** A setting of the loader: driver files, none, so that it searches for them itself, or those that the environment names. */
type Setting = string | typeof UNSET | null
const UNSET = 'unset'

/** Tells which kind of device answers with a setting. */
export type Trial = (setting: Setting) => Promise<'gpu' | 'software' | 'nothing'>

/**
 * The first setting with which a GPU answers, or else the first with which anything does. If nothing does, all files that were written: the loader
 * then says why each library fails.
 *
 * @param isSet - whether the environment names driver files. They are tried first, and others if they fail.
 * @returns null if the environment is right as it is.
 */
export async function findDriver(
  folder: string,
  attempt: Trial,
  isSet = false,
  now = () => performance.now(),
): Promise<Setting> {
  const written = await Promise.all(LIBRARIES.map(library => writeDriverFile(folder, library)))
  let software: Setting | undefined
  for (const setting of [null, ...(isSet ? [UNSET] : []), KNOWN, ...written] as const) {
    if (setting !== null && now() > TRIALS_MS) break
    const found = await attempt(setting)
    if (found === 'gpu') return setting
    if (found === 'software' && software === undefined) software = setting
  }
  return software === undefined ? written.join(':') : software
}

/** @see https://github.com/KhronosGroup/Vulkan-Loader/blob/main/docs/LoaderDriverInterface.md */
async function writeDriverFile(folder: string, library: string): Promise<string> {
  const path = join(folder, `${library}.json`)
  const driver = { file_format_version: '1.0.0', ICD: { library_path: library, api_version: '1.3.0' } }
  await writeFile(path, JSON.stringify(driver))
  return path
}

/** Loaders before 1.3.207 know the second only. */
const VARIABLES = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES'] as const

async function attempt(setting: Setting): Promise<'gpu' | 'software' | 'nothing'> {
  for (const name of VARIABLES) {
    if (setting === UNSET) delete process.env[name]
    else if (setting !== null) process.env[name] = setting
  }
  const { reason, adapter } = await tryDevice('webgpu')
  if (reason !== null) return 'nothing'
  return adapter?.isSoftware ? 'software' : 'gpu'
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(
    (await findDriver(
      process.argv[2] ?? '',
      attempt,
      VARIABLES.some(name => process.env[name]),
    )) ?? '',
  )
