/** `npm run coverage`: lines and branches of the contracts that the Solidity tests execute; fails below the bar. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { optionRows } from '../node/src/cli/options/settingOptions.ts'
import { helpOption, readCommandLine } from './base/commandLine.ts'
import { type Arm, markArms } from './coverage/markArms.ts'
import { openWorkFolder } from './solidity/workFolder.ts'
import { failurePart } from './test/failurePart.ts'

const BAR_PERCENT = 98

/** Tests of gas: the lines that count coverage use gas, too. */
const GAS_TESTS = /Gas\.t\.sol$/

const usage = [
  { calls: 'npm run coverage' },
  `Prints, for each contract, the share of lines and branches that its Solidity tests execute, and fails below ${BAR_PERCENT} %.`,
  { rows: optionRows(helpOption) },
]

readCommandLine({ usage, options: helpOption })

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'contracts', 'src')
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.sol') && !name.startsWith('interfaces'))
  .sort()
const work = openWorkFolder(root, join(tmpdir(), `waggle-coverage-${process.pid}`))
const files = names.map(name => {
  const file = `contracts/src/${name}`
  const { marked, arms } = markArms(file, readFileSync(join(folder, name), 'utf8'))
  work.write(file, marked)
  return { file, marked, arms }
})
for (const name of readdirSync(join(root, 'contracts', 'test'), { recursive: true, encoding: 'utf8' })) {
  if (GAS_TESTS.test(name)) work.leaveOut(`contracts/test/${name}`)
}
const { passed, output } = await work.test(['--coverage'])
if (!passed) throw new Error(`the tests fail under coverage:\n${failurePart(output)}`)
const counts = readLcov(work.read('coverage/lcov.info'))
work.remove()

let lines = { hit: 0, all: 0 }
let branches = { hit: 0, all: 0 }
console.log(`${'file'.padEnd(44)} ${'lines'.padStart(9)} ${'branches'.padStart(9)}  not covered`)
for (const { file, marked, arms } of files) {
  const executed = counts.get(file) ?? new Map<number, number>()
  const source = marked.split('\n')
  const armOf = new Map(arms.map(arm => [arm.id, arm]))
  const missed: string[] = []
  const own = { lines: { hit: 0, all: 0 }, branches: { hit: 0, all: 0 } }
  for (const [line, count] of executed) {
    const arm = armOf.get(/ \/\/ arm (\S+)$/.exec(source[line - 1] ?? '')?.[1] ?? '')
    const tally = arm === undefined ? own.lines : own.branches
    tally.all++
    if (count > 0) tally.hit++
    else missed.push(arm === undefined ? `"${source[line - 1]?.trim()}"` : describe(arm))
  }
  lines = add(lines, own.lines)
  branches = add(branches, own.branches)
  console.log(`${file.padEnd(44)} ${share(own.lines)} ${share(own.branches)}  ${missed.join(', ')}`)
}
console.log(`${'all'.padEnd(44)} ${share(lines)} ${share(branches)}`)
const worst = Math.min(percent(lines), percent(branches))
if (worst < BAR_PERCENT) {
  console.error(`coverage is ${worst.toFixed(1)} %, the bar is ${BAR_PERCENT} %`)
  process.exitCode = 1
}

type Tally = { hit: number; all: number }

function add(a: Tally, b: Tally): Tally {
  return { hit: a.hit + b.hit, all: a.all + b.all }
}

function percent({ hit, all }: Tally): number {
  return all === 0 ? 100 : (100 * hit) / all
}

function share(tally: Tally): string {
  return `${percent(tally).toFixed(1)} %`.padStart(9)
}

function describe({ choice, line, taken }: Arm): string {
  const what = choice === '&&' || choice === '||' ? `left of ${choice}` : choice
  return `${what} on line ${line} never ${taken ? 'holds' : 'fails'}`
}

/** Times that each line of each file was executed. */
function readLcov(text: string): Map<string, Map<number, number>> {
  const files = new Map<string, Map<number, number>>()
  let current = new Map<number, number>()
  for (const line of text.split('\n')) {
    const [key, value = ''] = line.split(/:(.*)/)
    if (key === 'SF') {
      current = new Map()
      files.set(value, current)
    }
    if (key !== 'DA') continue
    const [at = 0, count = 0] = value.split(',').map(Number)
    current.set(at, count)
  }
  return files
}
