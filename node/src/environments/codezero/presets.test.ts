import { expect, test } from 'vitest'
import { groupAdvantages } from '#rl/groupAdvantages.ts'
import { environmentHash } from '../environmentSpec.ts'
import { codeZeroSpecSchema } from './environmentSpec.ts'
import { environmentFrom, presets } from './presets.ts'

test("The environment's hash is that of its content.", () => {
  expect(environmentHash(presets.starter)).toBe(environmentHash(environmentFrom('starter')))
  expect(environmentHash(presets.starter)).not.toBe(environmentHash(environmentFrom('starter', { groupSize: 4 })))
  expect(environmentHash(presets.starter)).toMatch(/^0x[0-9a-f]{64}$/)
  expect(() => environmentFrom('starter', { weights: { ...presets.starter.weights, ends: 0.9 } })).toThrow(
    /add up to 1/,
  )
  const formOnly = { fenced: 0.2, parses: 0.2, defines: 0.2, adheres: 0.2, ends: 0.2, predictedCorrectness: 0 }
  expect(() => environmentFrom('starter', { weights: formOnly })).toThrow(/predictedCorrectness above 0/)
})

test('Rules of an earlier release are refused whose tasks were others, and others stay valid.', () => {
  const read = (changes: object) => codeZeroSpecSchema.safeParse({ ...presets.qwen, version: 11, ...changes })
  expect(read({}).error?.issues).toMatchObject([
    { path: ['version'], message: expect.stringContaining('npx waggle environment create') },
  ])
  expect(read({ preset: 'small', version: 2 }).success).toBe(false)
  expect(read({ tasks: 'wellFormed' }).success).toBe(true)
  expect(environmentFrom('small').version).toBe(12)
})

test("The preset for published models learns from what is right, and a judge's noise moves nothing.", () => {
  const { training, groupSize, tasksPerRound, owedLeaves } = presets.qwen
  expect(groupSize).toBeGreaterThanOrEqual(8)
  expect(owedLeaves).toBe(tasksPerRound * groupSize)
  const { scaleRewards, minGroupDeviation: minDeviation } = training
  const form = 0.2
  const noise = (spread: number) =>
    Float32Array.from({ length: 8 }, (_, i) => form + 0.8 * (0.3 + spread * Math.sin(i * 2.4)))
  const lesson = noise(0.05).map((reward, i) => (i === 3 ? form + 0.8 * 0.9 : reward))
  const { kept, advantages } = groupAdvantages([noise(0.05), noise(0.18), lesson], { scaleRewards, minDeviation })
  expect(kept).toEqual([false, true, true])
  const largest = advantages.map(of => Math.max(...of.map(Math.abs)))
  expect(largest[1]).toBeLessThan((largest[2] ?? 0) / 2)
})
