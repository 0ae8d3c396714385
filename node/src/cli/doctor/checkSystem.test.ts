import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkSystem, describeSystem, runtimes, type System } from './checkSystem.ts'

const EXT4 = 0xef53
const linux: System = {
  ...{ platform: 'linux', arch: 'x64', release: '6.8.0-45-generic', fileSystem: EXT4 },
  ...{ wslNetwork: null, isKeptAwake: false },
}
const wsl: System = { ...linux, release: '5.15.153.1-microsoft-standard-WSL2', wslNetwork: 'mirrored' }
const mac: System = { ...linux, platform: 'darwin', arch: 'arm64', release: '24.1.0' }
const found = (system: System) => checkSystem(system).map(({ check, state }) => `${check} ${state}`)

test('this machine is described, and supported', async () => {
  const system = await describeSystem(join(tmpdir(), 'not', 'made'))
  expect(system).toMatchObject({ platform: process.platform, arch: process.arch })
  expect(found(system)[0]).toBe('system ok')
})

test('Linux, WSL 2 and macOS are told apart, each with what to do', () => {
  expect(found(linux)).toEqual(['system ok'])
  expect(found(wsl)).toEqual(['system ok'])
  expect(found({ ...wsl, wslNetwork: 'nat' })).toEqual(['system ok', 'network warning'])
  expect(found({ ...wsl, fileSystem: 0x01021997 })).toEqual(['system ok', 'folder failure'])
  expect(found({ ...wsl, release: '4.4.0-19041-Microsoft' })).toEqual(['system failure'])
  expect(found(mac)).toEqual(['system warning'])
  expect(found({ ...mac, isKeptAwake: true })).toEqual(['system ok'])
  for (const system of [
    { ...mac, arch: 'x64' },
    { ...linux, arch: 'riscv64' },
    { ...linux, platform: 'win32' },
  ])
    expect(found(system)).toEqual(['system failure'])
})

test('the systems that are supported are those that ONNX Runtime has binaries for', () => {
  const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))
  const shipped = globSync('bin/napi-v*/*/*', { cwd: folder }).map(path => path.split(/[/\\]/).slice(-2).join('-'))
  expect(shipped.sort()).toEqual(runtimes)
})
