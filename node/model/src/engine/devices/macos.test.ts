import { expect, test } from 'vitest'
import { setsOfSysctl } from './describeMachine.ts'
import { freeOfVmStat } from './freeMemory.ts'

const vmStat = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10234.
Pages active:                            412345.
Pages inactive:                          398765.
Pages speculative:                         5210.
Pages throttled:                              0.
Pages wired down:                        120345.
Pages purgeable:                           8123.
"Translation faults":                1234567890.
`

test('free memory on macOS includes reclaimable pages', () => {
  expect(freeOfVmStat(vmStat)).toBe(16_384 * (10_234 + 398_765 + 5_210 + 8_123))
  expect(freeOfVmStat('vm_stat: not permitted')).toBeNull()
})

test("Apple's processors have instruction sets by the names of Linux", () => {
  const lines = ['arm.AdvSIMD: 1', 'arm.FEAT_DotProd: 1', 'arm.FEAT_I8MM: 0', 'arm.FEAT_BF16: 1', 'floatingpoint: 1']
  const found = setsOfSysctl(lines.map(line => `hw.optional.${line}\n`).join(''))
  expect([...found]).toEqual(['asimd', 'asimddp', 'bf16'])
})
