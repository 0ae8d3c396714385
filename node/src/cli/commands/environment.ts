import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { MeasuredJudge } from '#environments/environment.ts'
import { specifiedPrecisions } from '#model/quantization/precision.ts'
import type { CommandAction } from '../command.ts'
import { defineCommand } from '../defineCommand.ts'
import { readSpec } from '../models/chatModels.ts'
import { runCode } from '../models/runCode.ts'
import { knownAction, unknownWord } from '../nearest.ts'
import { hubSettings } from '../options/commonSettings.ts'
import { openModel } from '../options/modelOptions.ts'
import { count, jsonOption, textOption } from '../options/optionKinds.ts'
import { UsageError } from '../usageError.ts'

const actions = [
  {
    name: 'create',
    text: 'write the specification of an environment for models of one tokenizer (Qwen2, Qwen3, Llama 3, deepseek-coder), and print its hash. Deploy with the hash (npx hardhat deploy --environment HASH), give the file to everybody who takes part, and start each peer with --environment FILE --model PATH_OR_REPO',
  },
  {
    name: 'check',
    arguments: 'PATH',
    text: 'run the environment of a specification, PATH.json, or the one that a module exports as kind, and report what would break a swarm: prompts that are too long or have tokens beyond the vocabulary, tasks, prompts or scores that differ between peers, held-out tasks in the training set, answers that make scoring fail, a specification with more than one hash',
  },
  {
    name: 'hash',
    arguments: 'FILE',
    text: 'check a specification that was written or edited by hand, and print the hash to put on the chain',
  },
] as const satisfies readonly CommandAction[]

const own = {
  kind: z.string().default('codezero').meta({
    value: 'NAME',
    description:
      'create: codezero (Python functions, scored by a frozen model) or reasoning (puzzles, checked by a program)',
  }),
  model: textOption(
    'PATH_OR_REPO',
    "a model of the solvers' family, whose tokenizer and chat template the environment fixes; check: nothing is generated",
  ),
  judge: textOption(
    'PATH_OR_REPO',
    'the frozen judge of codezero, a chat model that reads code; create calibrates it, and refuses it if it cannot tell right code from wrong. By default the judge that comes with Waggle: it is small, and reads functions of the curriculum alone',
  ),
  out: textOption('FILE', 'create: where to write the specification'),
  precision: z.enum(specifiedPrecisions).optional().meta({
    value: 'NAME',
    description:
      'create: precision of the chat model that judges: float32 (the default), int8 or int4; part of the specification',
  }),
  pairs: count(200, 100_000).default(400).meta({
    value: 'N',
    description: 'create: pairs of right code and near-misses to calibrate and measure with, at least 200',
  }),
  samples: count(16, 100_000).default(200).meta({
    value: 'N',
    description:
      'create: answers to sample from the model and run in a sandbox for the same purpose; at least 16 have to be functions',
  }),
  threads: count(1, 256).default(2).meta({ value: 'N', description: 'create: threads of the model' }),
  ...hubSettings,
  ...jsonOption,
}

type Own = z.infer<z.ZodObject<typeof own>>

/** Makes and checks specifications and kinds of environments. */
export const environmentCommand = defineCommand({
  usage: `npx waggle environment create [--kind NAME] --model PATH_OR_REPO [--judge PATH_OR_REPO] --out FILE [--json]
npx waggle environment check PATH --model PATH_OR_REPO [--judge PATH_OR_REPO] [--json]
npx waggle environment hash FILE [--json]`,
  own,
  actions,
  positionals: ['ACTION'],
  morePositionals: ['PATH'],
  async run(values, [action = '', path]) {
    const known = knownAction(action, actions)
    if (known === 'create') {
      if (path !== undefined)
        throw new UsageError(`environment create does not take '${path}'.`, { hint: 'Name the file with --out.' })
      return createEnvironment(values)
    }
    if (path === undefined)
      throw new UsageError(`environment ${known} needs a path.`, { hint: 'See npx waggle environment --help.' })
    return known === 'check' ? checkEnvironment(path, values) : showHash(path, values)
  },
})

/** Reports defects of a new kind of environment to its author. */
async function checkEnvironment(path: string, { model, judge, json, ...values }: Own): Promise<void> {
  if (model === undefined)
    throw new UsageError('--model is missing.', { hint: 'Name a chat model: prompts are made with its tokenizer.' })
  if (!existsSync(path))
    throw new UsageError(`${path} does not exist.`, {
      hint: 'Name a specification, or the module that exports a kind.',
    })
  const spec = path.endsWith('.json') ? await readSpec(path) : null
  const { kindOf } = await import('#environments/builtIn.ts')
  const kind = spec && kindOf(spec)
  const judged = judge ?? (spec && kind?.judgeOf(spec)) ?? undefined
  if (kind?.needsJudge && judged === undefined)
    throw new UsageError('--judge is missing.', { hint: 'Name the frozen model that this environment is scored by.' })
  const modelFolder = await openModel(model, values)
  const judgeFolder = judged !== undefined ? await openModel(judged, values) : null
  const { checkEnvironmentModule, checkSpecification } = await import('#roles/models/checkEnvironmentModule.ts')
  const request = {
    ...{ modelFolder, judgeFolder, judgeModel: null, pairs: 200, samples: 64, threads: 2 },
    precision: 'float32' as const,
    runCode,
  }
  const { findings, hash } = await (spec && kind
    ? checkSpecification(kind, spec, request)
    : checkEnvironmentModule(path, request))
  if (findings.length > 0) process.exitCode = 1
  if (json) return console.log(JSON.stringify({ ok: findings.length === 0, findings, hash }))
  for (const finding of findings) console.log(finding)
  if (findings.length === 0) console.log(`no defects found; the hash of its specification is ${hash}`)
}

/** The hash under which the chain knows a specification. */
async function showHash(path: string, { json }: Own): Promise<void> {
  const spec = await readSpec(path)
  const { environmentHash } = await import('#environments/environmentSpec.ts')
  const hash = environmentHash(spec)
  console.log(json ? JSON.stringify({ path, hash }) : hash)
}

/** Makes the specification of an environment of chat models. */
async function createEnvironment(values: Own): Promise<void> {
  const { kind, model, judge, out, precision, pairs, samples, threads, json } = values
  const { environmentKinds, findKind } = await import('#environments/builtIn.ts')
  const found = findKind(kind)
  if (found === null) throw unknownWord('environment kind', kind, Object.keys(environmentKinds))
  if (model === undefined || out === undefined)
    throw new UsageError('--model and --out are needed.', { hint: 'See npx waggle environment --help.' })
  if (judge === undefined && precision !== undefined)
    throw new UsageError('--precision is of a judge that --judge names.', { hint: 'Leave out --precision.' })
  if (judge !== undefined && !found.needsJudge)
    throw new UsageError(`${kind} has no judge model.`, { hint: 'Leave out --judge: a program scores.' })
  // Calibrating a judge takes minutes: what cannot be written is refused before.
  if (!existsSync(dirname(resolve(out))))
    throw new UsageError(`The folder of ${out} does not exist.`, { hint: 'Make it, or name another file with --out.' })
  if (existsSync(out)) throw new UsageError(`${out} already exists.`, { hint: 'Name a file that does not exist.' })
  const modelFolder = await openModel(model, values)
  const judgeFolder = judge !== undefined ? await openModel(judge, values) : null
  const request = {
    modelFolder,
    judgeFolder,
    judgeModel: judge === undefined || existsSync(judge) ? null : judge,
    precision: precision ?? ('float32' as const),
    pairs,
    samples,
    threads,
    runCode,
  }
  const { spec, hash, judge: measured } = await found.describe(request)
  await writeFile(out, `${JSON.stringify(spec, null, 2)}\n`)
  if (json) return console.log(JSON.stringify({ path: out, hash, judge: measured }))
  console.log(`environment ${hash} is in ${out}${measured === null ? '' : describeJudge(measured)}`)
}

function describeJudge({ balancedAccuracy, ece, pairs, samples }: MeasuredJudge): string {
  return `; its judge has a balanced accuracy of ${balancedAccuracy.toFixed(3)} (0.5 is chance) and a calibration error of ${ece.toFixed(3)}, on ${pairs} pairs, ${samples} of them answers of the model`
}
