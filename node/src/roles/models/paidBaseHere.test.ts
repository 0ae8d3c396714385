import { expect, test } from 'vitest'
import { codeZeroSpecSchema } from '#environments/codezero/environmentSpec.ts'
import { starterFolder } from '#environments/codezero/loadStarter.ts'
import { presets } from '#environments/codezero/presets.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import { unpaidBaseOf, unpaidSolver } from './paidBaseHere.ts'

const solverFolder = `${starterFolder}/solver`
const own = await readBaseHash(solverFolder)
const other = `0x${'66'.repeat(32)}` as const
const here = (bases: `0x${string}`[] | null) => ({ solverFolder, spec: { bases } })

test('a base is paid where it is on the list, or where there is none', async () => {
  expect(await unpaidBaseOf(here(null))).toBeNull()
  expect(await unpaidBaseOf(here([other, own]))).toBeNull()
  expect(await unpaidBaseOf(here([other]))).toBe(`its base ${own} is none of the environment's: ${other}`)
})

test('a solver is unpaid over a base that is not listed, as over 8 bits, and by whole weights it may be paid', async () => {
  const [float32, int8] = [{ base: 'float32' }, { base: 'int8' }] as const
  expect(await unpaidSolver(float32, here([other]))).toMatch(/is none of the environment's/)
  expect(await unpaidSolver(float32, here([own]))).toBeNull()
  expect(await unpaidSolver(int8, here([own]))).toMatch(/8-bit base/)
  expect(await unpaidSolver(undefined, here([other]))).toBeNull()
})

test.each([[[]], [[own, own]], [['0x66']]])('a list of bases like %j is refused', bases => {
  expect(codeZeroSpecSchema.safeParse({ ...presets.starter, bases }).success).toBe(false)
})
