import { expect, test } from 'vitest'
import { describeMachine } from './describeMachine.ts'
import { chooseIntegerKernels, fedProductsAreExact } from './integerKernels.ts'

test('the kernels that can run are exact and give the same bits; each shape is timed once', async () => {
  const choices = await chooseIntegerKernels(
    [
      [64, 48],
      [130, 40],
      [64, 48],
    ],
    { threads: 1 },
  )
  expect(choices.map(({ shape }) => shape)).toEqual([
    [64, 48],
    [130, 40],
  ])
  for (const { fusedMs, separateMs, isFused } of choices) expect(isFused).toBe(separateMs > 0.9 * fusedMs)
})

test('products with fed weights are exact where the CPU has VNNI, and what it has is found out', async () => {
  const { instructionSets } = await describeMachine()
  const isX64 = process.arch === 'x64'
  const hasDotProduct = instructionSets.some(name => name === 'avx512_vnni' || name === 'avx_vnni')
  if (!isX64 || hasDotProduct) expect(await fedProductsAreExact()).toBe(true)
  else expect(typeof (await fedProductsAreExact())).toBe('boolean')
})
