import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { softwareAdapter } from '#engine/devices/softwareAdapter.ts'

const software = softwareAdapter(Boolean(process.env.CI))
const skip = software === null

test('a cache that is too large for a device is made for fewer rows, and the others wait', { skip }, async () => {
  const env = { ...process.env, ...software }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'devices/deviceRowsChild.ts')],
    {
      env,
    },
  )
  const { cpu, webgpu } = JSON.parse(stdout)
  expect(cpu).toHaveLength(64)
  expect(webgpu).toEqual(cpu)
})
