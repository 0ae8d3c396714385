import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Level, levels } from '#environments/level.ts'
import type { Estimate } from '#rl/passAtK.ts'
import type { Command } from '../command.ts'
import { openChatModels } from '../models/chatModels.ts'
import { hubSettings } from '../options/commonSettings.ts'
import { jsonOption, textOption } from '../options/optionKinds.ts'
import { parseSampling } from '../options/parseSampling.ts'
import { drawOptions, machineOptions } from '../options/runOptions.ts'
import { optionsOf, usageOf } from '../options/settingOptions.ts'
import { whole } from '../options/whole.ts'
import { UsageError } from '../usageError.ts'

/** Stands for the model that comes with the code. */
const STARTER = 'starter'

/** Of models from outside a swarm, and of datasets. */
const modelOptions = {
  adapter: textOption('DIR', 'a PEFT LoRA adapter of the model'),
  dataset: textOption(
    'PATH_OR_REPO',
    "MBPP, CodeContests, HumanEval or a file of Waggle's own schema, as Parquet or JSON lines: a file, a folder, or OWNER/NAME[@REVISION][:PATH] on the hub (docs/guides/use-a-dataset.md)",
  ),
  k: textOption('N,N', 'values of k for pass@k (default 1 and the number of samples)'),
  seed: textOption('TEXT', "seed for choosing a dataset's tasks and for sampling (default: the dataset's order)"),
  out: textOption('FILE', 'write outcomes as JSON lines; the same command resumes from it'),
  'max-new-tokens': textOption('N', 'maximum number of tokens of an answer (default 512)'),
  ...drawOptions,
  temperature: textOption('X', 'divides the logits (default 1 where there is more than one answer)'),
  ...machineOptions,
  ...hubSettings,
}

const options = {
  policy: z.array(z.string()).optional().meta({
    value: 'DIR',
    description: "a solver's policy folder, may be repeated; starter is the model that comes with the code (default)",
  }),
  model: textOption('PATH_OR_REPO', 'a chat model: a folder, a GGUF file, or OWNER/NAME[@REVISION] on the hub'),
  environment: textOption(
    'FILE',
    'measure on the held-out tasks of this specification; starter is then the untrained model',
  ),
  judge: textOption('PATH_OR_REPO', "the environment's frozen judge, if it needs one"),
  level: textOption('N', 'level of the held-out tasks (default 3)'),
  tasks: textOption('N', 'number of tasks (default 100 held-out ones, all of a dataset)'),
  samples: textOption('N', 'answers to a task (default 8 of a policy at temperature 1; 1 of a model, greedy)'),
  threads: textOption('N', 'threads of the model (default 2 for a policy, all of the machine for a model)'),
  ...modelOptions,
  ...jsonOption,
}

const modelOnly = Object.keys(modelOptions)

/** Those of them that also go with `--environment`. */
const hubOnly = ['models', 'hub']

/** Measures models and policies by running what they write. */
export const evaluate: Command = {
  usage: `npx waggle eval [--policy DIR …] [--level N] [--tasks N] [--samples N] [--json]
npx waggle eval --model PATH_OR_REPO [--adapter DIR] [--dataset PATH_OR_REPO] [--tasks N] [--samples N] [--k N,N] [--json]
npx waggle eval --environment FILE --model PATH_OR_REPO [--judge PATH_OR_REPO] [--policy DIR …] [--level N] [--json]

Measures pass@k on held-out tasks, or on those of a dataset: it runs the answers in the sandbox, or has a program check them, as the
environment defines. pass@k is the unbiased estimator, with 95 % intervals.

${usageOf(options)}`,
  options: optionsOf(options),
  async run(values) {
    const { policy, level, tasks, samples, threads, json } = values
    if (values.model !== undefined && values.environment === undefined) {
      if (values.judge !== undefined)
        throw new UsageError('--judge is for --environment.', { hint: 'A dataset is measured by execution.' })
      if (policy !== undefined)
        throw new UsageError('--model and --policy cannot be combined.', { hint: 'Measure one after the other.' })
      parseSampling(values)
      const { evaluateModel } = await import('../models/evaluateModel.ts')
      const figures = await evaluateModel(values)
      if (json === true) return console.log(JSON.stringify(figures))
      const { pass, fail, error, timeout } = figures.verdicts
      for (const { k, ...estimate } of figures.passAtK) console.log(`pass@${k} ${shown(estimate)}`)
      return console.log(
        `${figures.tasks} tasks of ${figures.dataset}, answers to each: ${figures.samples}; ${pass} pass, ${fail} fail, ${error} raise an error, ${timeout} time out`,
      )
    }
    const { environment, model, judge, models, hub } = values as Record<string, string | undefined>
    const chat = await openChatModels({ environment, model, judge, models, hub }, new AbortController().signal)
    const spare = chat === undefined ? modelOnly : modelOnly.filter(name => !hubOnly.includes(name))
    const idle = spare.find(name => values[name] !== undefined)
    if (idle !== undefined)
      throw new UsageError(`--${idle} is for --model.`, {
        hint: "Name a model with --model, also a policy's own folder.",
      })
    const policies = Array.isArray(policy) ? policy.map(String) : [STARTER]
    const missing = policies.find(folder => folder !== STARTER && !isPolicy(folder))
    if (missing !== undefined)
      throw new UsageError(`There is no model in ${missing}.`, {
        hint: "Name the folder policy in a solver's data folder.",
      })
    const measurement = {
      policies,
      chat,
      level: whole('level', level, 3, levels.length) as Level,
      tasks: whole('tasks', tasks, 100, 1000),
      samples: whole('samples', samples, 8, 64),
      threads: whole('threads', threads, 2, 256),
    }
    const asked = `${measurement.tasks} held-out tasks of level ${measurement.level}, ${measurement.samples} answers each`
    console.error(`measuring ${policies.join(', ')} on ${asked}; this takes from seconds to minutes`)
    const { measurePolicies } = await import('#roles/models/measurePolicies.ts')
    const measured = await measurePolicies(measurement)
    if (json === true) return console.log(JSON.stringify({ policies: measured }))
    for (const { policy: of, passAtK, reward, predicted, families } of measured) {
      console.log(
        `${of}: pass@1 ${chat === undefined ? 'by execution ' : ''}${shown(passAtK[0] as Estimate)}, by the judge's estimate ${predicted.toFixed(3)}, mean reward ${reward.toFixed(3)}`,
      )
      // Of a single one it is said already.
      for (const { family, tasks: ofTasks, ...estimate } of families.length > 1 ? families : [])
        console.log(`  ${family}: ${shown(estimate)}, ${ofTasks} tasks`)
    }
  },
}

const shown = ({ value, low, high }: Estimate) => `${value.toFixed(3)} (95 % ${low.toFixed(3)} to ${high.toFixed(3)})`

/** Whether a solver keeps its weights, or an adapter, in a folder. */
function isPolicy(folder: string): boolean {
  return ['model.safetensors', 'adapter_config.json'].some(file => existsSync(join(folder, file)))
}
