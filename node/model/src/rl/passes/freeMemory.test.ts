import { execFileSync } from 'node:child_process'
import { totalmem } from 'node:os'
import { expect, test } from 'vitest'
import { freeAddresses, freeMemory } from '#engine/devices/freeMemory.ts'

test("free memory is at most the machine's memory", () => {
  expect(freeMemory()).toBeGreaterThan(0)
  expect(freeMemory()).toBeLessThanOrEqual(totalmem())
})

test('an address space without a limit has no end', () => {
  expect(freeAddresses()).toBe(Number.POSITIVE_INFINITY)
})

test.runIf(process.platform === 'linux')(
  'the memory for steps respects a limit of the address space, less what is in use and what sessions reserve',
  () => {
    const module = new URL('./stepBudget.ts', import.meta.url).href
    const script = `const { plannable } = await import('${module}'); console.log(plannable(0), plannable(1e8))`
    // In one arena: each thread that allocates would reserve 64 MB of addresses or more, whenever it does.
    const run = (limitKb: number) => {
      const command = `ulimit -v ${limitKb}; MALLOC_ARENA_MAX=1 exec "${process.execPath}" --input-type=module -e "$0"`
      return execFileSync('bash', ['-c', command, script], { encoding: 'utf8' }).split(' ').map(Number)
    }
    const [[less = 0], [more = 0, held = 0]] = [run(8e6), run(9e6)] as [number[], number[]]
    expect(less).toBeGreaterThan(0)
    expect(more - less).toBeGreaterThan(0.9 * 1024e6)
    expect(more - less).toBeLessThan(1.1 * 1024e6)
    expect(held - more).toBeGreaterThan(0.9e9)
  },
)
