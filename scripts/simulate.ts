/**
 * `npm run simulate -- protocol`: attackers against the real contracts, on a chain in this process. For each attack what it earned, what
 * honest play earned in the same runs with the same stake, keys and knowledge, and what it gains with its defence switched off in a copy.
 * Fails if an attack pays that is not named as left open, or one does not pay even without its defence.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AttackRow, type Earnings, findFaults } from './simulate/earnings.ts'
import { simulateMarket } from './simulate/market/simulateMarket.ts'
import { plotAttacks } from './simulate/plotAttacks.ts'
import { simulateVotes } from './simulate/votes/simulateVotes.ts'

const usage = `npm run simulate -- protocol [options]

  --runs N      seeded runs of each way to play (100)
  --only NAMES  these attacks, split by commas
  --plot DIR    write votes-attacks.svg and market-attacks.svg
  --json        one line of JSON at the end
  --help        this`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '100' },
    only: { type: 'string' },
    plot: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const runs = Number(values.runs)
if (positionals[0] !== 'protocol' || !Number.isInteger(runs) || runs < 2) {
  console.error(usage)
  process.exit(64)
}

const only = values.only?.split(',')
const wanted = (name: string) => only === undefined || only.includes(name)
const votes = await simulateVotes(runs, wanted)
const market = await simulateMarket(runs, wanted)
if (values.plot !== undefined) {
  const caption = `gain over honest play, per cent of what that earns; ${runs} runs each`
  await writeFile(
    join(values.plot, 'votes-attacks.svg'),
    plotAttacks('Attacks on the votes', caption, votes.map(inPercent)),
  )
  const inBets = `gain over honest play, in bets of the crowd; ${runs} games each`
  await writeFile(join(values.plot, 'market-attacks.svg'), plotAttacks('Attacks on the market', inBets, market))
}
const rows = [...votes, ...market]
print(rows)
const faults = findFaults(rows)
for (const fault of faults) console.error(fault)
if (values.json) console.log(JSON.stringify({ runs, rows }))
process.exit(faults.length === 0 ? 0 : 1) // the chains keep the process alive

function inPercent({ attack, honest, gain, gainUndefended }: AttackRow) {
  const of = ({ mean, error }: Earnings) => ({ mean: (100 * mean) / honest.mean, error: (100 * error) / honest.mean })
  return { attack, gain: of(gain), gainUndefended: of(gainUndefended) }
}

function print(table: readonly AttackRow[]): void {
  console.log(`\nmeans of ${runs} seeded runs (standard error): Nectar a round, bets of the crowd a game\n`)
  console.log(cells(['attack', 'earned', 'honest play', 'gain', 'without its defence', 'unit']))
  for (const { attack, earned, honest, gain, gainUndefended, unit, leftOpen } of table) {
    const figures = [earned, honest, gain, gainUndefended].map(
      ({ mean, error }) => `${mean.toFixed(2)} (${error.toFixed(2)})`,
    )
    console.log(cells([attack, ...figures, unit]) + (leftOpen === null ? '' : 'left open'))
  }
}

function cells(texts: readonly string[]): string {
  return texts.map(one => one.padEnd(21)).join('')
}
