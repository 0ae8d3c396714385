/**
 * `npm run simulate`: attackers against the protocol.
 *
 * `network`: real roles on a simulated clock, network and chain, with hostile peers and faults, from a seed. `protocol`: attackers that
 * choose freely. A search over strategies on a fast model, then the best of them on the real contracts. `attacks`: scripted attackers on
 * the real contracts, and on copies without the defence. Reports what each earned, and honest play in the same runs. Fails if an attack
 * pays that is not listed as open, or if one does not pay even without its defence.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeMachine } from '../node/model/src/engine/devices/describeMachine.ts'
import { readCommandLine, refuseUsage } from './base/commandLine.ts'
import { type Group, keepResults, measuredOn } from './measure/results.ts'
import type { BenchRow, RowResult } from './measure/row.ts'
import { type AttackRow, type Earnings, findFaults } from './simulate/earnings.ts'
import { linesOf, rowsOf } from './simulate/free/report.ts'
import { QUICK, simulateFree, WHOLE } from './simulate/free/simulateFree.ts'
import { simulateMarket } from './simulate/market/simulateMarket.ts'
import {
  WHOLE as ALL,
  QUICK as FEW,
  longRowNames,
  longRows,
  networkRowNames,
  networkRows,
  ofSeed,
} from './simulate/network/rows.ts'
import { options, usage } from './simulate/options.ts'
import { plotAttacks, plotTrials } from './simulate/plotAttacks.ts'
import { simulateVotes } from './simulate/votes/simulateVotes.ts'

/** Strategies that have to be tried. */
const FEWEST_TRIED = 2_000

const { values, positionals } = readCommandLine({ usage, options, hasArguments: true })
const { runs } = values
const [what = ''] = positionals
if (what !== 'network' && what !== 'protocol' && what !== 'attacks')
  refuseUsage(what === '' ? 'say what to simulate' : `nothing to simulate is named ${what}`, usage)
const plays = { network: simulateNetwork, protocol: simulateProtocol, attacks: simulateAttacks }
// Created before the long plays, so that an error is reported at once.
if (values.plot !== undefined) await mkdir(values.plot, { recursive: true })
const isHeld = await plays[what]()
process.exit(isHeld ? 0 : 1) // the chains keep the process alive

async function simulateNetwork(): Promise<boolean> {
  const names = values.only?.split(',') ?? longRowNames
  const unknown = names.find(name => !longRowNames.includes(name))
  if (unknown !== undefined) refuseUsage(`no row named ${unknown}; there are ${longRowNames.join(', ')}`, usage)
  const { quick, seed, long } = values
  const extent = quick ? FEW : ALL
  const played = seed === undefined ? extent : ofSeed(extent, seed)
  const rows = await (long ? longRows(names) : networkRows(played, line => console.error(line)))
  if (!quick && (long || seed === undefined)) await keep('simulate', networkRowNames, rows)
  return printRows(rows)
}

/** Keeps what `--json` asks to keep, as benchmarks are kept. */
async function keep(group: Group, all: readonly Pick<BenchRow, 'name' | 'better'>[], rows: readonly RowResult[]) {
  if (!values.json) return
  const when = { date: new Date().toISOString().slice(0, 10), machine: measuredOn(await describeMachine()) }
  await keepResults(join(import.meta.dirname, '../docs/benchmarks'), group, all, rows, when)
}

async function simulateProtocol(): Promise<boolean> {
  const extent = values.quick ? QUICK : WHOLE
  const result = await simulateFree(extent, line => console.error(line))
  for (const line of linesOf(result)) console.log(line)
  if (values.plot !== undefined) {
    const caption = `profit over honest play, and what others lose, per cent of honest pay; ${extent.chainSeeds} runs each`
    await writeFile(join(values.plot, 'free-attackers.svg'), plotTrials(caption, result.best))
  }
  const rows = rowsOf(result, values.quick ? 0 : FEWEST_TRIED, extent.decidingSeeds)
  if (!values.quick) await keep('protocol', rows, rows)
  return printRows(rows)
}

function printRows(rows: readonly RowResult[]): boolean {
  for (const { name, value, bar, ok } of rows) console.log(`${ok ? 'ok  ' : 'MISS'} ${name} ${value} (bar ${bar})`)
  if (values.json) console.log(JSON.stringify({ rows }))
  return rows.every(({ ok }) => ok)
}

async function simulateAttacks(): Promise<boolean> {
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
  return faults.length === 0
}

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
