/**
 * `npm run simulate -- protocol [--games N] [--plot FILE] [--json]`: attackers against the real contracts, on a chain in this process. For each
 * attack what it earned, what honest play earned with the same stake and the same knowledge, and what it earns with its
 * defence switched off in a copy of the contract.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { simulateMarket } from './simulate/market/simulateMarket.ts'
import { plotAttacks } from './simulate/plotAttacks.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string', default: '100' },
    plot: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const games = Number(values.games)
if (positionals[0] !== 'protocol' || !Number.isInteger(games) || games < 1) {
  console.error('npm run simulate -- protocol [--games N] [--plot FILE] [--json]')
  process.exit(64)
}

const rows = await simulateMarket(games)
if (values.plot !== undefined) await writeFile(values.plot, plotAttacks(rows, games))
if (values.json) {
  console.log(JSON.stringify({ games, rows }))
} else {
  console.log(`\nmean of ${games} seeded games, in bets of the crowd (standard error)\n`)
  console.log(['attack'.padEnd(20), 'earned', 'honest play', 'undefended'].map(cell => cell.padEnd(18)).join(''))
  for (const { attack, earned, honest, undefended } of rows) {
    const cells = [earned, honest, undefended].map(({ mean, error }) => `${mean.toFixed(2)} (${error.toFixed(2)})`)
    console.log([attack.padEnd(20), ...cells].map(cell => cell.padEnd(18)).join(''))
  }
}
// An attack that pays no better without its defence would show that this simulation cannot fail.
const idle = rows.filter(({ earned, undefended }) => undefended.mean <= earned.mean)
for (const { attack, defence } of idle) console.error(`${attack} does not pay even without ${defence}`)
process.exitCode = idle.length === 0 ? 0 : 1
