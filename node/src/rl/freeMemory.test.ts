import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { freeMemory } from './freeMemory.ts'

test('what is free is no more than the machine has', () => {
  expect(freeMemory()).toBeGreaterThan(0)
  expect(freeMemory()).toBeLessThanOrEqual(process.availableMemory() * 1.1)
})

test.runIf(process.platform === 'linux')('a limit of the address space counts, less what is taken of it', () => {
  const module = new URL('./freeMemory.ts', import.meta.url).href
  const script = `const { freeMemory } = await import('${module}'); console.log(freeMemory())`
  const run = (limitKb: number) => {
    const command = `ulimit -v ${limitKb}; exec "${process.execPath}" --input-type=module -e "$0"`
    return Number(execFileSync('bash', ['-c', command, script], { encoding: 'utf8' }))
  }
  const [less, more] = [run(20e6), run(21e6)]
  expect(less).toBeGreaterThan(0)
  expect(more - less).toBeGreaterThan(0.9 * 1024e6)
  expect(more - less).toBeLessThan(1.1 * 1024e6)
})
