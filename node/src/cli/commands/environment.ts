import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { MeasuredJudge } from '#environments/environmentKind.ts'
import { specifiedPrecisions } from '#model/quantization/precision.ts'
import type { Command } from '../command.ts'
import { unknownWord } from '../nearest.ts'
import { type HubSettings, hubOptions, hubUsage, openModel } from '../options/modelOptions.ts'
import { parsePrecisionOf } from '../options/parsePrecision.ts'
import { whole } from '../options/wholeNumber.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Makes the specification of an environment of chat models. */
export const environmentCommand: Command = {
  usage: `npx waggle environment [--kind NAME] --model PATH_OR_REPO [--judge PATH_OR_REPO] --out FILE [--json]

Writes the specification of an environment for models of one tokenizer (Qwen2, Qwen3, Llama 3, deepseek-coder), and prints its hash.
Deploy with the hash (npx hardhat deploy --environment HASH), give the file to everybody who takes part, and start each peer with
--environment FILE --model PATH_OR_REPO.

  --kind NAME         codezero: Python functions, scored by a frozen chat model (default); reasoning: puzzles, checked by a program
  --model PATH_OR_REPO
                      a model of the solvers' family, whose tokenizer and chat template the environment fixes
  --judge PATH_OR_REPO
                      codezero: the frozen judge; it is calibrated, and refused if it cannot tell right code from wrong
  --out FILE          where to write the specification
  --precision NAME    of the judge: float32, int8 or int4; part of the specification (default float32)
  --pairs N           pairs of right code and near-misses to calibrate and measure with (default 400, at least 200)
  --samples N         answers of the model to sample and run in a sandbox for the same purpose (default 200)
  --threads N         threads of the model (default 2)
${hubUsage}
  --json              print one JSON object on the last line`,
  options: {
    ...hubOptions,
    kind: text,
    model: text,
    judge: text,
    out: text,
    pairs: text,
    samples: text,
    precision: text,
    threads: text,
    json: { type: 'boolean' },
  },
  async run({
    kind = 'codezero',
    model,
    judge,
    out,
    precision = 'float32',
    pairs,
    samples,
    threads,
    json,
    models,
    hub,
  }) {
    const { environmentKinds, findKind } = await import('#environments/builtIn.ts')
    const found = findKind(String(kind))
    if (found === null) throw unknownWord('environment kind', String(kind), Object.keys(environmentKinds))
    const needed = found.needsJudge ? '--model, --judge and --out are needed.' : '--model and --out are needed.'
    if (typeof model !== 'string' || typeof out !== 'string' || (found.needsJudge && typeof judge !== 'string'))
      throw new UsageError(needed, { hint: 'See npx waggle environment --help.' })
    const settings: HubSettings = { models: models as string | undefined, hub: hub as string | undefined }
    const modelFolder = await openModel(model, settings)
    const judgeFolder = typeof judge === 'string' ? await openModel(judge, settings) : null
    const { createSandbox } = await import('#sandbox/createSandbox.ts')
    const sandbox = createSandbox()
    const request = {
      modelFolder,
      judgeFolder,
      precision: parsePrecisionOf(specifiedPrecisions, precision),
      judgeModel: typeof judge !== 'string' || existsSync(judge) ? null : judge,
      pairs: whole('pairs', pairs, 400, 100_000, 200),
      samples: whole('samples', samples, 200, 100_000),
      runCode: sandbox.evaluate,
      threads: whole('threads', threads, 2, 256),
    }
    const { spec, hash, judge: measured } = await found.describe(request).finally(() => sandbox.close())
    await writeFile(out, `${JSON.stringify(spec, null, 2)}\n`)
    if (json === true) return console.log(JSON.stringify({ path: out, hash, judge: measured }))
    console.log(`environment ${hash} is in ${out}${measured === null ? '' : describeJudge(measured)}`)
  },
}

function describeJudge({ balancedAccuracy, ece, pairs, samples }: MeasuredJudge): string {
  return `; its judge has a balanced accuracy of ${balancedAccuracy.toFixed(3)} (0.5 is chance) and a calibration error of ${ece.toFixed(3)}, on ${pairs} pairs, ${samples} of them answers of the model`
}
