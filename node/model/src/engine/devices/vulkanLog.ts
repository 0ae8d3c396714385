/** The GPU that WebGPU runs on, as the Vulkan loader names it. */
export interface Adapter {
  readonly name: string
  /** Whether it is a CPU that renders: slower than ONNX Runtime's own CPU kernels. */
  readonly isSoftware: boolean
}

/** Value of VK_LOADER_DEBUG with which the loader's log, on stderr, has what is parsed here. */
export const VULKAN_LOG = 'error,driver'

/** Mesa's lavapipe names itself llvmpipe. */
const SOFTWARE = /llvmpipe|lavapipe|libvulkan_lvp|swiftshader/i

/** The adapter of the device that was made; null if the log has none: ONNX Runtime logs none, nor do Metal, Direct3D and loaders before 1.3. */
export function readAdapter(log: string): Adapter | null {
  const made = [...log.matchAll(/Using "(.*)" with driver: "(.*)"/g)].at(-1)
  if (made === undefined) return null
  const [, name = '', driver = ''] = made
  return { name, isSoftware: SOFTWARE.test(`${name} ${driver}`) }
}

/** Why the loader found no driver, in its own words; empty if it says nothing. */
export function readLoaderErrors(log: string): string {
  const found = [...log.matchAll(/^(?:\[Vulkan Loader\] )?ERROR[^:\n]*:\s+(.+)$/gm)].map(([, text = '']) => text.trim())
  return [...new Set(found)].join('; ')
}

/**
 * The remedy for NVIDIA's driver, whose library for GLX fails on some servers without a display, where that for EGL works. Containers may get a driver
 * file for neither.
 *
 * @param hasDriver - whether the kernel has NVIDIA's driver.
 * @returns an empty text if the driver is not NVIDIA's.
 */
export function nvidiaRemedy(log: string, hasDriver: boolean): string {
  if (!hasDriver && !/nvidia/i.test(log)) return ''
  return ' Without a display set VK_DRIVER_FILES to a file that names libEGL_nvidia.so.0: see docs/guides/machines-with-gpus.md.'
}
