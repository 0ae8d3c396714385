import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Command } from '../command.ts'
import { type HubSettings, hubOptions, hubUsage, openModel } from '../modelOptions.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Makes the specification of an environment of chat models. */
export const environmentCommand: Command = {
  usage: `npm run waggle -- environment --model PATH_OR_REPO --judge PATH_OR_REPO --out FILE [--json]

Writes the specification of a CodeZero environment for models of one tokenizer (Qwen2, Qwen3, Llama 3, deepseek-coder), scored by a
frozen chat model, and prints its hash. Deploy with it (npx hardhat deploy --environment HASH), hand the file to who takes part,
and start each peer with --environment FILE --model PATH_OR_REPO.

  --model PATH_OR_REPO  a model of the solvers' family: its tokenizer and chat template become the rule
  --judge PATH_OR_REPO  the frozen evaluator; its answers are calibrated on pairs of right and wrong code
  --out FILE            where to write the specification
  --pairs N             pairs to calibrate and measure with (default 400)
  --threads N           threads of the model (default 2)
${hubUsage}
  --json                end with one JSON object on the last line`,
  options: {
    ...hubOptions,
    model: text,
    judge: text,
    out: text,
    pairs: text,
    threads: text,
    json: { type: 'boolean' },
  },
  async run({ model, judge, out, pairs = '400', threads = '2', json, models, hub }) {
    if (typeof model !== 'string' || typeof judge !== 'string' || typeof out !== 'string')
      throw new UsageError('--model, --judge and --out are needed.', {
        hint: 'See npm run waggle -- environment --help.',
      })
    const whole = (name: string, value: unknown, min: number, max: number) => {
      const number = Number(value)
      if (Number.isInteger(number) && number >= min && number <= max) return number
      throw new UsageError(`--${name} ${value} is out of range.`, {
        hint: `Give a whole number from ${min} to ${max}.`,
      })
    }
    const settings: HubSettings = { models: models as string | undefined, hub: hub as string | undefined }
    const modelFolder = await openModel(model, settings)
    const judgeFolder = await openModel(judge, settings)
    const { describeEnvironment } = await import('#roles/describeEnvironment.ts')
    const { spec, hash, balancedAccuracy } = await describeEnvironment({
      preset: 'qwen',
      modelFolder,
      judgeFolder,
      judgeModel: existsSync(judge) ? null : judge,
      pairs: whole('pairs', pairs, 8, 100_000),
      threads: whole('threads', threads, 1, 256),
    })
    await writeFile(out, `${JSON.stringify(spec, null, 2)}\n`)
    if (json === true) return console.log(JSON.stringify({ path: out, hash, balancedAccuracy }))
    console.log(
      `environment ${hash} is in ${out}; its judge's balanced accuracy is ${balancedAccuracy.toFixed(3)} (0.5 is chance)`,
    )
  },
}
