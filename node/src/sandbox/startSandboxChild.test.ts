import { expect, test } from 'vitest'
import { residentMb } from './startSandboxChild.ts'

const NOBODY = 2 ** 22 + 1

test.each(['linux', 'darwin'])(
  'the memory of a process is read as on %s, and is 0 once it has ended',
  async platform => {
    const own = process.memoryUsage().rss / 2 ** 20
    expect(await residentMb(process.pid, platform)).toBeGreaterThan(own / 2)
    expect(await residentMb(process.pid, platform)).toBeLessThan(own * 2)
    expect(await residentMb(NOBODY, platform)).toBe(0)
  },
)
