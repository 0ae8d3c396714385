import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { failuresOf, stages, yields } from './suites.ts'

test('a test that passed when it was run again is counted as passed, and named with its first error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-suites-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const reportPath = join(folder, 'report.json')
  const assertionResults = [
    { status: 'passed', fullName: 'a page shows a bond', failureMessages: ['Timeout 60000ms exceeded.'] },
    { status: 'passed', fullName: 'a page shows a peer', failureMessages: [] },
    { status: 'failed', fullName: 'a page shows a bet', failureMessages: ['expected 1 to be 2'] },
  ]
  const report = { numPassedTests: 2, numFailedTests: 1, testResults: [{ assertionResults }] }
  await writeFile(reportPath, JSON.stringify(report))
  const suite = stages.flat(2).find(({ name }) => name === 'dashboard')
  expect(await suite?.count({ code: 1, output: '', reportPath })).toEqual({
    ...{ passed: 2, failed: 1 },
    failedOnce: ['a page shows a bond\nTimeout 60000ms exceeded.'],
  })
})

test('a suite that ends badly or without a test counts as a failure', () => {
  expect(failuresOf({ passed: 3, failed: 0 }, 0)).toBe(0)
  expect(failuresOf({ passed: 3, failed: 2 }, 1)).toBe(2)
  expect(failuresOf({ passed: 3, failed: 0 }, 1)).toBe(1)
  expect(failuresOf({ passed: 0, failed: 0 }, 0)).toBe(1)
})

test("the contracts' own tests yield to all others, and nothing else does", () => {
  const patient = stages.flat().filter(yields)
  expect(patient.flat().map(({ name }) => name)).toEqual(['solidity', 'contracts'])
  expect(stages.flat(2).filter(({ isYielding }) => isYielding)).toEqual(patient.flat())
})
