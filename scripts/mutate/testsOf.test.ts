import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { testsOf } from './testsOf.ts'

const root = join(import.meta.dirname, '../..')

it('tries each Solidity test file on the mutants of some contract', () => {
  const contracts = globSync('contracts/src/**/*.sol', { cwd: root, exclude: ['contracts/src/interfaces/**'] })
  const named = new Set(contracts.flatMap(file => testsOf(basename(file, '.sol'))))
  expect([...named].sort()).toEqual(globSync('contracts/test/**/*.t.sol', { cwd: root }).sort())
})
