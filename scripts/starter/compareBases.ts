/**
 * Compares learning over an 8-bit base with learning over float32 weights. Trains adapters of the committed solver on rewards of the
 * committed judge, the same tasks and seeds for both bases, and measures pass@1 by execution on held-out tasks.
 *
 *   node scripts/starter/compareBases.ts [--seeds 3] [--from 1] [--rounds 40] [--learning-rate 1e-3] [--tasks 100] [--json]
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { allLinear } from '../../node/model/src/model/lora/loraConfig.ts'
import { environmentFrom } from '../../node/src/environments/codezero/presets.ts'
import { createSandbox } from '../../node/src/sandbox/createSandbox.ts'
import { createGrpoPeer, meanReward } from './grpoPeer.ts'
import { passRate } from './measureSolver.ts'
import { readExported } from './readExported.ts'

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    // The first of the seeds, so that more can be run later.
    from: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '40' },
    'learning-rate': { type: 'string', default: '1e-3' },
    tasks: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false },
  },
})
const [seeds, from, rounds] = [Number(options.seeds), Number(options.from), Number(options.rounds)]
const tasks = Number(options.tasks)
const learningRate = Number(options['learning-rate'])
const lora = { rank: 16, alpha: 32, targets: [...allLinear], rankStabilized: false }
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const round = (value: number) => Number(value.toFixed(3))

const { solver, judge, tokenizer } = await readExported(
  resolve(join(import.meta.dirname, '../../node/models/starter')),
  1,
)
const starter = environmentFrom('starter')
const spec = { ...starter, training: { ...starter.training, learningRate } }
const sandbox = createSandbox()
const runs: { base: string; seed: number; firstReward: number; lastReward: number; before: number; after: number }[] =
  []
for (let seed = from; seed < from + seeds; seed++) {
  for (const precision of ['float32', 'int8'] as const) {
    const adapter = { lora, precision }
    const named = { seed: `bases ${seed}`, threads: 1, level: 3 as const }
    const peer = await createGrpoPeer({ base: solver, tokenizer, judge, spec, adapter, ...named })
    const canary = { level: 3, tasks, samples: 4, temperature: 1 } as const
    const before = await passRate(peer.generator, tokenizer, sandbox, canary)
    const rewards: number[] = []
    for (let i = 0; i < rounds; i++) {
      const groups = await peer.rollouts(i)
      rewards.push(meanReward(groups))
      await peer.update(groups, i)
    }
    const after = await passRate(peer.generator, tokenizer, sandbox, canary)
    await peer.dispose()
    const [firstReward, lastReward] = [round(mean(rewards.slice(0, 5))), round(mean(rewards.slice(-5)))]
    runs.push({ base: precision, seed, firstReward, lastReward, before, after })
    process.stderr.write(`${JSON.stringify(runs.at(-1))}\n`)
  }
}
await judge.dispose()
await sandbox.close()
const summary = ['float32', 'int8'].map(base => {
  const own = runs.filter(run => run.base === base)
  const over = (field: 'firstReward' | 'lastReward' | 'before' | 'after') => round(mean(own.map(run => run[field])))
  return {
    base,
    firstReward: over('firstReward'),
    lastReward: over('lastReward'),
    before: over('before'),
    after: over('after'),
  }
})
if (options.json) console.log(JSON.stringify({ runs, summary }))
else console.table(summary)
