import type { Level } from '#environments/level.ts'
import type { Estimate } from '#rl/passAtK.ts'
import { isPolicy } from '#roles/models/isPolicy.ts'
import { atMost, defineCommand } from '../defineCommand.ts'
import { openChatModels } from '../models/chatModels.ts'
import { evalOptions, MAX_HELD_OUT_TASKS, modelOnly } from '../options/evalOptions.ts'
import { samplingOf } from '../options/sampling.ts'
import { UsageError } from '../usageError.ts'

/** Names the model that comes with the code; with `--model`, that model. */
const STARTER = 'starter'

/** Those that can be combined with `--environment`. */
const hubOnly = ['models', 'hub']

/** Measures models and policies by running their answers. */
export const evaluate = defineCommand({
  usage: `npx waggle eval [--policy DIR …] [--level N] [--tasks N] [--samples N] [--json]
npx waggle eval --model PATH_OR_REPO [--adapter DIR] [--dataset PATH_OR_REPO] [--tasks N] [--samples N] [--k N,N] [--json]
npx waggle eval --environment FILE --model PATH_OR_REPO [--judge PATH_OR_REPO] [--policy DIR …] [--level N] [--json]`,
  about:
    'Measures pass@k on held-out tasks, or on those of a dataset: it runs the answers in the sandbox, or has a program check them, as the environment defines. pass@k is the unbiased estimator, with 95 % intervals.',
  own: evalOptions,
  async run(values) {
    const { policy, json, environment, model, judge, models, hub } = values
    if (model !== undefined && environment === undefined) {
      if (judge !== undefined)
        throw new UsageError('--judge is for --environment.', { hint: 'A dataset is measured by execution.' })
      if (policy !== undefined)
        throw new UsageError('--model and --policy cannot be combined.', { hint: 'Measure one after the other.' })
      samplingOf(values)
      const { evaluateModel } = await import('../models/evaluateModel.ts')
      const figures = await evaluateModel({ ...values, model })
      if (json) return console.log(JSON.stringify(figures))
      const { pass, fail, error, timeout } = figures.verdicts
      for (const { k, ...estimate } of figures.passAtK) console.log(`pass@${k} ${shown(estimate)}`)
      return console.log(
        `${figures.tasks} tasks of ${figures.dataset}, answers to each: ${figures.samples}; ${pass} pass, ${fail} fail, ${error} raise an error, ${timeout} time out`,
      )
    }
    const chat = await openChatModels({ environment, model, judge, models, hub }, new AbortController().signal)
    const spare = chat === undefined ? modelOnly : modelOnly.filter(name => !hubOnly.includes(name))
    const idle = spare.find(name => values[name] !== undefined && values[name] !== false)
    if (idle !== undefined)
      throw new UsageError(`--${idle} is for --model.`, {
        hint: "Name a model with --model, also a policy's own folder.",
      })
    const policies = policy ?? [STARTER]
    const missing = policies.find(folder => folder !== STARTER && !isPolicy(folder))
    if (missing !== undefined)
      throw new UsageError(`There is no model in ${missing}.`, {
        hint: "Name the folder policy in a solver's data folder.",
      })
    const measurement = {
      policies,
      chat,
      level: (values.level ?? 3) as Level,
      tasks: atMost('tasks', values.tasks ?? 100, MAX_HELD_OUT_TASKS),
      samples: atMost('samples', values.samples ?? 8, 64),
      threads: values.threads ?? 2,
    }
    const asked = `${measurement.tasks} held-out tasks of level ${measurement.level}, ${measurement.samples} answers each`
    const nameOf = (folder: string) => (policy === undefined ? (model ?? folder) : folder)
    console.error(`measuring ${policies.map(nameOf).join(', ')} on ${asked}; this takes from seconds to minutes`)
    const { measurePolicies } = await import('#roles/models/measurePolicies.ts')
    const measured = (await measurePolicies(measurement)).map(one => ({ ...one, policy: nameOf(one.policy) }))
    const [{ tasks = 0 } = {}] = measured
    if (tasks < measurement.tasks)
      console.error(`level ${measurement.level} has no more than ${tasks} held-out tasks that differ`)
    if (json) return console.log(JSON.stringify({ policies: measured }))
    for (const { policy: of, tasks, passAtK, reward, predicted, families } of measured) {
      console.log(
        `${of}: pass@1 ${chat === undefined ? 'by execution ' : ''}${shown(passAtK[0] as Estimate)}, by the judge's estimate ${predicted.toFixed(3)}, mean reward ${reward.toFixed(3)}, ${tasks} tasks`,
      )
      // The total already covers a single family.
      for (const { family, tasks: ofTasks, ...estimate } of families.length > 1 ? families : [])
        console.log(`  ${family}: ${shown(estimate)}, ${ofTasks} tasks`)
    }
  },
})

const shown = ({ value, low, high }: Estimate) => `${value.toFixed(3)} (95 % ${low.toFixed(3)} to ${high.toFixed(3)})`
