import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { softwareAdapter } from '../../../node/model/src/engine/devices/softwareAdapter.ts'
import { findDriver, type Trial } from './vulkanDriver.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-driver-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const glx = () => join(folder, 'libGLX_nvidia.so.0.json')
const egl = () => join(folder, 'libEGL_nvidia.so.0.json')

/** The files that are found, and those that were tried, if only some answer. */
async function found(answers: Readonly<Record<string, Awaited<ReturnType<Trial>>>>, isSet = false, now = () => 0) {
  const tried: (string | null)[] = []
  const attempt: Trial = async files => {
    tried.push(files)
    return answers[files ?? 'own'] ?? 'nothing'
  }
  return { files: await findDriver(folder, attempt, isSet, now), tried }
}

test('A GPU that the loader finds needs no files, and NVIDIA’s library for GLX is tried before that for EGL.', async () => {
  expect(await found({ own: 'gpu' })).toEqual({ files: null, tried: [null] })
  const { files, tried } = await found({ [egl()]: 'gpu' })
  expect(files).toBe(egl())
  expect(tried.slice(2)).toEqual([glx(), egl()])
  expect(JSON.parse(await readFile(egl(), 'utf8')).ICD.library_path).toBe('libEGL_nvidia.so.0')
  expect(await found({ own: 'software', [glx()]: 'gpu' })).toMatchObject({ files: glx() })
})

test('If nothing answers, the loader gets both files to say why, but keeps its renderer in software.', async () => {
  expect(await found({})).toMatchObject({ files: `${glx()}:${egl()}` })
  expect(await found({ own: 'software' })).toMatchObject({ files: null })
  expect((await found({}, false, () => 60_000)).tried).toEqual([null])
})

test('Driver files that the environment names come first, and if they fail the loader’s own and all others.', async () => {
  expect(await found({ own: 'gpu' }, true)).toEqual({ files: null, tried: [null] })
  expect(await found({ unset: 'gpu' }, true)).toEqual({ files: 'unset', tried: [null, 'unset'] })
  expect(await found({ own: 'software', [egl()]: 'gpu' }, true)).toMatchObject({ files: egl() })
  expect(await found({ own: 'software' }, true)).toMatchObject({ files: null })
})

const software = softwareAdapter(Boolean(process.env.CI))

test.skipIf(software === null)('The loader takes a file that was written.', async () => {
  const chromium = dirname(software?.VK_ICD_FILENAMES as string)
  const libraries = join(folder, 'libraries')
  await mkdir(libraries)
  // Instead of NVIDIA's.
  await symlink(join(chromium, 'libvk_swiftshader.so'), join(libraries, 'libEGL_nvidia.so.0'))
  const env = { PATH: process.env.PATH ?? '', LD_LIBRARY_PATH: `${libraries}:${chromium}` }
  const argv = [join(import.meta.dirname, 'vulkanDriver.ts'), folder]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env })
  expect(stdout).toBe(egl())
})
