/**
 * Shows that each row of INVARIANTS.md can fail: takes one line of a contract out, in a copy, and plays the row's suite until the row falls.
 * Calls that revert are skipped, so that it is the row's own check that falls, and nothing before it. Prints the table of INVARIANTS.md.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { patchSources } from '../simulate/compilePatched.ts'
import { compile } from '../solidity/compileTests.ts'
import { runTests } from '../solidity/runTests.ts'
import { BROKEN_ROWS, type BrokenRow, changesOf } from './brokenRows.ts'

const DEPTH = 100
/** Runs, each series with its own seed, until the row falls. */
const SERIES = [1, 4, 16, 64]

const root = join(import.meta.dirname, '..', '..')
const folder = 'contracts/test/invariant'
const { values: options } = parseArgs({ options: { only: { type: 'string' } } })

const suites = readdirSync(join(root, folder))
  .filter(file => file.endsWith('.t.sol'))
  .map(file => ({ name: file.slice(0, -'.t.sol'.length), source: readFileSync(join(root, folder, file), 'utf8') }))
const listed = [...readFileSync(join(root, 'contracts/test/INVARIANTS.md'), 'utf8').matchAll(/^\| \*\*(\w+)\*\*/gm)]
const rows = listed.map(([, name = '']) => name).filter(name => options.only?.split(',').includes(name) ?? true)
let failures = 0
console.log('| row | taken out | put in | fell within |\n| --- | --- | --- | --- |')
for (const name of rows) {
  const broken = BROKEN_ROWS[name]
  const fell = broken === undefined ? 'no patch breaks it' : await breakRow(name, broken)
  if (typeof fell === 'string') failures++
  console.log(
    `| ${name} | ${changesOf(broken)} | ${typeof fell === 'string' ? fell : fell === 1 ? '1 run' : `${fell} runs`} |`,
  )
}
console.log(`${rows.length - failures} passing`)
if (failures > 0) console.log(`${failures} failing`)
process.exit(failures > 0 ? 1 : 0) // the engine keeps the process alive

/** @returns in how many runs the row fell, or why it did not. */
async function breakRow(name: string, { patches, check }: BrokenRow): Promise<number | string> {
  const suite = suites.find(({ source }) => new RegExp(check ?? `invariant_${name}_`).test(source))
  if (suite === undefined) return 'no suite has it'
  const contract = /^contract (\w+Invariants) /m.exec(suite.source)?.[1]
  const called = check ?? new RegExp(`invariant_${name}_\\w+`).exec(suite.source)?.[0]
  const file = `${folder}/${suite.name}Row.t.sol`
  const source = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;
import {${contract}} from "./${suite.name}.t.sol";
contract ${suite.name}Row is ${contract} {
    function invariant_Row() public { ${called}(); }
}
`
  const compilation = compile(root, [file], patchSources(patches).set(file, source))
  if ('errors' in compilation) return compilation.errors[0] ?? 'it does not compile'
  let played = 0
  for (const [index, runs] of SERIES.entries()) {
    played += runs
    const effort = {
      fuzzRuns: 1,
      invariantRuns: runs,
      invariantDepth: DEPTH,
      seed: `0x${(0x7761 + index).toString(16)}`,
    }
    const [outcome] = await runTests(compilation.contracts, [file], { ...effort, passesReverts: true }, 'invariant_Row')
    if (outcome === undefined) return 'it was not run'
    if (!outcome.passed) return played
  }
  return `it stood ${played} runs`
}
