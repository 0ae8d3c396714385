import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { MeasuredJudge } from '#environments/environmentKind.ts'
import { specifiedPrecisions } from '#model/quantization/precision.ts'
import type { Values } from '../command.ts'
import { unknownWord } from '../nearest.ts'
import { type HubSettings, openModel } from '../options/modelOptions.ts'
import { parsePrecisionOf } from '../options/parsePrecision.ts'
import { whole } from '../options/wholeNumber.ts'
import { UsageError } from '../usageError.ts'

/** Makes the specification of an environment of chat models. */
export async function createEnvironment({
  kind = 'codezero',
  model,
  judge,
  out,
  precision = 'float32',
  pairs,
  samples,
  threads,
  json,
  ...values
}: Values): Promise<void> {
  const { environmentKinds, findKind } = await import('#environments/builtIn.ts')
  const found = findKind(String(kind))
  if (found === null) throw unknownWord('environment kind', String(kind), Object.keys(environmentKinds))
  const needed = found.needsJudge ? '--model, --judge and --out are needed.' : '--model and --out are needed.'
  if (typeof model !== 'string' || typeof out !== 'string' || (found.needsJudge && typeof judge !== 'string'))
    throw new UsageError(needed, { hint: 'See npx waggle environment --help.' })
  const settings = hubSettings(values)
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
}

export const hubSettings = ({ models, hub }: Values): HubSettings => ({
  models: models as string | undefined,
  hub: hub as string | undefined,
})

function describeJudge({ balancedAccuracy, ece, pairs, samples }: MeasuredJudge): string {
  return `; its judge has a balanced accuracy of ${balancedAccuracy.toFixed(3)} (0.5 is chance) and a calibration error of ${ece.toFixed(3)}, on ${pairs} pairs, ${samples} of them answers of the model`
}
