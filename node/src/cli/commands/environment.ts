import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Command } from '../command.ts'
import { type HubSettings, hubOptions, hubUsage, openModel } from '../modelOptions.ts'
import { parsePrecision } from '../parsePrecision.ts'
import { UsageError } from '../usageError.ts'
import { whole } from '../wholeNumber.ts'

const text = { type: 'string' } as const

/** Makes the specification of an environment of chat models. */
export const environmentCommand: Command = {
  usage: `npm run waggle -- environment [--kind NAME] --model PATH_OR_REPO [--judge PATH_OR_REPO] --out FILE [--json]

Writes the specification of an environment for models of one tokenizer (Qwen2, Qwen3, Llama 3, deepseek-coder), and prints its hash. Deploy with it (npx hardhat deploy --environment HASH), hand the file to who takes part,
and start each peer with --environment FILE --model PATH_OR_REPO.

  --kind NAME           codezero: Python functions, scored by a frozen chat model (default); reasoning: puzzles, checked by a program
  --model PATH_OR_REPO  a model of the solvers' family: its tokenizer and chat template become the rule
  --judge PATH_OR_REPO  codezero: the frozen evaluator; its answers are calibrated on pairs of right and wrong code
  --out FILE            where to write the specification
  --precision NAME      of the evaluator: float32, int8 or int4; it is part of the rule (default float32)
  --pairs N             pairs to calibrate and measure with (default 400)
  --threads N           threads of the model (default 2)
${hubUsage}
  --json                end with one JSON object on the last line`,
  options: {
    ...hubOptions,
    kind: text,
    model: text,
    judge: text,
    out: text,
    pairs: text,
    precision: text,
    threads: text,
    json: { type: 'boolean' },
  },
  async run({ kind = 'codezero', model, judge, out, precision = 'float32', pairs, threads, json, models, hub }) {
    const { environmentKinds, findKind } = await import('#environments/builtIn.ts')
    const found = findKind(String(kind))
    if (found === null)
      throw new UsageError(`There is no kind ${kind}.`, {
        hint: `Name one of ${Object.keys(environmentKinds).join(', ')}.`,
      })
    const needed = found.needsJudge ? '--model, --judge and --out are needed.' : '--model and --out are needed.'
    if (typeof model !== 'string' || typeof out !== 'string' || (found.needsJudge && typeof judge !== 'string'))
      throw new UsageError(needed, { hint: 'See npm run waggle -- environment --help.' })
    const settings: HubSettings = { models: models as string | undefined, hub: hub as string | undefined }
    const modelFolder = await openModel(model, settings)
    const judgeFolder = typeof judge === 'string' ? await openModel(judge, settings) : null
    const { spec, hash, balancedAccuracy } = await found.describe({
      modelFolder,
      judgeFolder,
      precision: parsePrecision(precision),
      judgeModel: typeof judge !== 'string' || existsSync(judge) ? null : judge,
      pairs: whole('pairs', pairs, 400, 100_000, 8),
      threads: whole('threads', threads, 2, 256),
    })
    await writeFile(out, `${JSON.stringify(spec, null, 2)}\n`)
    if (json === true) return console.log(JSON.stringify({ path: out, hash, balancedAccuracy }))
    const judged =
      balancedAccuracy === null
        ? ''
        : `; its judge's balanced accuracy is ${balancedAccuracy.toFixed(3)} (0.5 is chance)`
    console.log(`environment ${hash} is in ${out}${judged}`)
  },
}
