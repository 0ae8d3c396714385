import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = 'contracts/test/invariant'

/** A suite of invariants with one more, `invariant_AllRows`, that checks all of its rows. */
interface RowsAtOnce {
  name: string
  /** Path of a contract that is not on disk, from the root. */
  file: string
  source: string
  rows: readonly string[]
}

/** The names of the suites of invariants. */
export function invariantSuites(root: string): string[] {
  return readdirSync(join(root, folder))
    .filter(file => file.endsWith('.t.sol'))
    .map(file => file.slice(0, -'.t.sol'.length))
}

/**
 * Every row of a suite after each of its calls. From one seed the engine plays each invariant of a suite the same calls, so that a run
 * for all rows finds what a run for each would, at the price of one.
 */
export function rowsAtOnce(root: string, name: string): RowsAtOnce {
  const source = readFileSync(join(root, folder, `${name}.t.sol`), 'utf8')
  const suite = /^contract (\w+Invariants) /m.exec(source)?.[1]
  const found = [...source.matchAll(/function (invariant_\w+)\(\) public( view)?/g)]
  // One that changes something to see whether it can comes after all that only read.
  found.sort((a, b) => Number(a[2] === undefined) - Number(b[2] === undefined))
  const rows = found.map(([, row = '']) => row)
  if (suite === undefined || rows.length === 0) throw new Error(`${folder}/${name}.t.sol has no invariants`)
  const body = rows
    .map(
      row =>
        `        try this.${row}() {} catch (bytes memory why) { revert(string.concat("${row}: ", string(why))); }`,
    )
    .join('\n')
  const derived = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;
import {${suite}} from "./${name}.t.sol";
contract ${name}AtOnce is ${suite} {
    function invariant_AllRows() public {
${body}
    }
}
`
  return { name, file: `${folder}/${name}AtOnce.t.sol`, source: derived, rows }
}
