import hre from 'hardhat'
import { type MarketGas, measureMarketGas } from '../../contracts/test/market/measureMarketGas.ts'
import { measureGas } from '../../contracts/test/measureGas.ts'
import { type DisputeGas, LEAF_BYTES, measureDisputeGas, wholeCase } from './disputeGas.ts'

type Gas = Awaited<ReturnType<typeof measureGas>>
type Shared = { once<T>(key: string, make: () => Promise<T>): Promise<T> }

/** Plays on what the sources say now. */
async function swarmOf({ once }: Shared, solvers: number, evaluators: number): Promise<Gas> {
  await once('contracts', () => hre.tasks.getTask('build').run({ quiet: true }))
  return once(`gas of ${solvers} solvers, ${evaluators} evaluators`, () => measureGas({ solvers, evaluators }))
}

const row = (name: string, bar: number, value: (gas: Gas) => number, conditions: string) => ({
  name,
  unit: 'gas',
  bar,
  better: 'less' as const,
  measure: async (bench: Shared) => ({ value: value(await swarmOf(bench, 32, 5)), conditions }),
})

const marketRow = (name: string, bar: number, value: (gas: MarketGas) => number, conditions: string) => ({
  name,
  unit: 'gas',
  bar,
  better: 'less' as const,
  measure: async (bench: Shared) => {
    await bench.once('contracts', () => hre.tasks.getTask('build').run({ quiet: true }))
    return { value: value(await bench.once('gas of a game', measureMarketGas)), conditions }
  },
})

/** Nothing is asked of these: they tell what an appeal or a demand adds to a round. */
const disputeRow = (name: string, value: (gas: DisputeGas) => number, conditions: string) => ({
  name,
  unit: 'gas',
  bar: null,
  better: 'less' as const,
  measure: async (bench: Shared) => {
    await bench.once('contracts', () => hre.tasks.getTask('build').run({ quiet: true }))
    return { value: value(await bench.once('gas of disputes', measureDisputeGas)), conditions }
  },
})

const ring = '32 peers, committee of 5, words that exist already; optimiser at 10,000 runs, cancun'

/** Gas on Hardhat's own chain: figures of the contracts, not of the machine. */
export const rows = [
  row('commit', 52_500, ({ inRing }) => inRing.commit, ring),
  row('vote-commit', 50_000, ({ inRing }) => inRing.commitVotes, ring),
  row('reveal-per-peer', 10_000, ({ inRing }) => inRing.revealAPeer, ring),
  row('settle-per-peer', 35_000, ({ inRing }) => inRing.settleAPeer, ring),
  row(
    'tasks-24',
    150_000,
    ({ inRing }) => inRing.propose,
    `24 starter tasks of level 5, problem and four tests each; ${ring}`,
  ),
  row('register-secp256k1', 180_000, gas => gas.registerSecp256k1, 'a first registration, with proof'),
  row('register-rsa2048', 300_000, gas => gas.registerRsa2048, 'a first registration, with proof'),
  marketRow('bet', 110_000, ({ bets }) => Math.max(...bets), 'in a round already begun; the most expensive of 3'),
  marketRow('claim', 60_000, ({ claims }) => Math.max(...claims), 'the most expensive of 2'),
  disputeRow('demand', ({ demand, show }) => demand + show, `demanded and shown; a leaf of ${LEAF_BYTES} bytes`),
  disputeRow('verdict', ({ first }) => first.verdict, 'one seat’s, sealed and opened; jury of 11 of 25 seats'),
  disputeRow(
    'appeal',
    ({ first }) => wholeCase(first),
    'a whole case: opened, 11 verdicts, closed, all seats paid and the committee blamed',
  ),
  disputeRow('appeal-twice', ({ second }) => wholeCase(second), 'the same, appealed again to 23 of 25 seats'),
  {
    name: 'flat-in-evaluators',
    unit: 'ratio',
    bar: 1.1,
    better: 'less' as const,
    measure: async (bench: Shared) => ({
      value:
        (await swarmOf(bench, 100, 500)).inRing.allRolesAPeer / (await swarmOf(bench, 100, 5)).inRing.allRolesAPeer,
      conditions: '100 peers, all transactions of all roles in a round, 500 evaluators against 5',
    }),
  },
]
