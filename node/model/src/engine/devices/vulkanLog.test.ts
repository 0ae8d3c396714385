import { expect, test } from 'vitest'
import { nvidiaRemedy, readAdapter, readLoaderErrors } from './vulkanLog.ts'

const made = (name: string, driver: string) => `DRIVER | LAYER:   <Device>
DRIVER | LAYER:          Using "${name}" with driver: "${driver}"
`

test('The adapter is that of the device which was made, in the words of old and new loaders.', () => {
  const swiftShader =
    '[Vulkan Loader] DRIVER:                Using "SwiftShader Device (Subzero)" with driver: "/usr/lib/libvk_swiftshader.so"\n'
  expect(readAdapter(swiftShader)).toEqual({ name: 'SwiftShader Device (Subzero)', isSoftware: true })
  expect(readAdapter(swiftShader + made('NVIDIA H200', 'libGLX_nvidia.so.0'))).toEqual({
    name: 'NVIDIA H200',
    isSoftware: false,
  })
  expect(readAdapter('Device Extension: VK_KHR_swapchain')).toBeNull()
})

test('Renderers in software are known by name or driver.', () => {
  expect(readAdapter(made('llvmpipe (LLVM 15.0.6, 256 bits)', '/usr/lib/libvulkan_lvp.so'))?.isSoftware).toBe(true)
  expect(readAdapter(made('Renderer', '/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so'))?.isSoftware).toBe(true)
  expect(readAdapter(made('AMD Radeon RX 7900 XT (RADV NAVI31)', '/usr/lib/libvulkan_radeon.so'))?.isSoftware).toBe(
    false,
  )
})

test("The loader's errors are told once each.", () => {
  const library = 'libXext.so.6: cannot open shared object file: No such file or directory'
  const icd = 'loader_icd_scan: Failed loading library associated with ICD JSON libGLX_nvidia.so.0. Ignoring this JSON'
  const log = `ERROR:            ${library}\nERROR:            ${icd}\nWarning: ${library}\n[Vulkan Loader] ERROR | DRIVER: ${library}\n`
  expect(readLoaderErrors(log)).toBe(`${library}; ${icd}`)
  expect(readLoaderErrors('SessionError: models cannot run\n')).toBe('')
})

test('Only where NVIDIA’s driver is or fails, its library for EGL is the remedy.', () => {
  const failed = 'libGLX_nvidia.so.0: cannot open shared object file: No such file or directory'
  for (const remedy of [nvidiaRemedy(failed, false), nvidiaRemedy('Found no drivers!', true)])
    expect(remedy).toContain('libEGL_nvidia.so.0')
  expect(nvidiaRemedy('Found no drivers!', false)).toBe('')
})
