import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readPlacements } from '#engine/devices/placements.ts'
import { softwareAdapter } from '#engine/devices/softwareAdapter.ts'
import { opTable } from '#engine/opTable.ts'

/** Operators of the op table's cases that WebGPU leaves to the CPU: lengths and other small integers. Those of the builders are not listed. */
const onCpu: Readonly<Record<string, readonly string[]>> = {
  'Reshape 2': ['Concat'],
  'MatMul 1': ['Concat'],
  'ArgMax 0': ['Cast'],
  'Shape 0': ['Cast'],
  'Range 0': ['Cast', 'Squeeze'],
}

const adapter = softwareAdapter(Boolean(process.env.CI))

test('every op has on WebGPU, forwards and backwards, the results of the CPU, and its floats stay there', {
  skip: adapter === null,
  timeout: 240_000, // two hundred small sessions, whose kernels are compiled: some seconds on an idle machine
}, async () => {
  const argv = [join(import.meta.dirname, '../model/src/engine/cases/opTableOnDevice.ts'), 'webgpu']
  const options = { env: { ...process.env, ...adapter }, maxBuffer: 2 ** 28 }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, options)
  const compared = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(new Set(compared.map(({ op }) => op)).size).toBe(Object.keys(opTable).length)
  expect(compared.filter(({ isWithin }) => !isWithin)).toEqual([])
  expect(compared.filter(({ lacks }) => lacks)).toEqual([])
  const left = [...readPlacements(stderr)].flatMap(([program, { onCpu }]) => {
    const [, name] = /^webgpu (.*)$/.exec(program) ?? []
    return name !== undefined && Object.keys(onCpu).length > 0 ? [[name, Object.keys(onCpu).sort()]] : []
  })
  expect(Object.fromEntries(left)).toEqual(onCpu)
})
