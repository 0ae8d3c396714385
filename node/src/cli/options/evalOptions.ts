import { z } from 'zod'
import { levels } from '#environments/level.ts'
import { hubSettings } from './commonSettings.ts'
import { count, decimal, jsonOption, numberList, textOption } from './optionKinds.ts'
import { drawOptions, machineOptions } from './runOptions.ts'

/** Most tasks of a dataset; held-out ones are limited to fewer. */
export const MAX_TASKS = 100_000
export const MAX_HELD_OUT_TASKS = 1_000

const number = (most: number, description: string) => count(1, most).optional().meta({ value: 'N', description })

/** For models from outside a swarm, and for datasets. */
const modelOptions = {
  adapter: textOption('DIR', 'a PEFT LoRA adapter of the model'),
  dataset: textOption(
    'PATH_OR_REPO',
    "MBPP, CodeContests, HumanEval or a file of Waggle's own schema, as Parquet or JSON lines: a file, a folder, or OWNER/NAME[@REVISION][:PATH] on the hub (docs/guides/use-a-dataset.md)",
  ),
  k: numberList('values of k for pass@k (default 1 and the number of samples)'),
  seed: textOption('TEXT', "seed for choosing a dataset's tasks and for sampling (default: the dataset's order)"),
  out: textOption('FILE', 'write outcomes as JSON lines; the same command resumes from it'),
  'max-new-tokens': number(100_000, 'maximum number of tokens of an answer (default 512)'),
  ...drawOptions,
  temperature: decimal('divides the logits (default 1 if there is more than one answer)'),
  ...machineOptions,
  ...hubSettings,
}

export const evalOptions = {
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
  level: number(levels.length, 'level of the held-out tasks (default 3)'),
  tasks: number(MAX_TASKS, 'number of tasks (default 100 held-out ones, all of a dataset)'),
  samples: number(1_000, 'answers to a task (default 8 of a policy at temperature 1; 1 of a model, greedy)'),
  threads: number(256, 'threads of the model (default 2 for a policy, all of the machine for a model)'),
  ...modelOptions,
  ...jsonOption,
}

/** Options that are only for models from outside a swarm, and for datasets. */
export const modelOnly = Object.keys(modelOptions) as (keyof typeof modelOptions)[]

export type EvalValues = z.infer<z.ZodObject<typeof evalOptions>>
