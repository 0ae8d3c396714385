import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Level, levels } from '#environments/level.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Stands for the model that comes with the code. */
const STARTER = 'starter'

/** Measures policies by execution, on tasks that nobody trains on. */
export const evaluate: Command = {
  usage: `npm run waggle -- eval [--policy DIR …] [--level N] [--tasks N] [--samples N] [--json]

Tasks of a class that nobody trains on, their answers run in the sandbox.

  --policy DIR   a solver's policy folder, may be repeated; starter is the model that comes with the code (default)
  --level N      level of the held-out tasks (default 3)
  --tasks N      how many (default 100)
  --samples N    samples a task, at temperature 1, always with the same seeds (default 8)
  --threads N    threads of the model (default 2)
  --json         end with one JSON object on the last line`,
  options: {
    policy: { type: 'string', multiple: true },
    level: text,
    tasks: text,
    samples: text,
    threads: text,
    json: { type: 'boolean' },
  },
  async run({ policy, level, tasks, samples, threads, json }) {
    const whole = (name: string, value: unknown, fallback: number, max: number) => {
      const number = value === undefined ? fallback : Number(value)
      if (Number.isInteger(number) && number >= 1 && number <= max) return number
      throw new UsageError(`--${name} ${value} is out of range.`, { hint: `Give a whole number from 1 to ${max}.` })
    }
    const policies = Array.isArray(policy) ? policy.map(String) : [STARTER]
    const missing = policies.find(folder => folder !== STARTER && !isPolicy(folder))
    if (missing !== undefined)
      throw new UsageError(`There is no model in ${missing}.`, {
        hint: "Name the folder policy in a solver's data folder.",
      })
    const measurement = {
      policies,
      level: whole('level', level, 3, levels.length) as Level,
      tasks: whole('tasks', tasks, 100, 1000),
      samples: whole('samples', samples, 8, 64),
      threads: whole('threads', threads, 2, 256),
    }
    const { measurePolicies } = await import('#roles/measurePolicies.ts')
    const measured = await measurePolicies(measurement)
    if (json === true) return console.log(JSON.stringify({ policies: measured }))
    for (const { policy: of, passAt1, reward, predicted } of measured)
      console.log(
        `${of}: pass@1 by execution ${passAt1.toFixed(3)}, predicted ${predicted.toFixed(3)}, reward ${reward.toFixed(3)}`,
      )
  },
}

/** Whether a solver keeps its weights, or an adapter, in a folder. */
function isPolicy(folder: string): boolean {
  return ['model.safetensors', 'adapter_config.json'].some(file => existsSync(join(folder, file)))
}
