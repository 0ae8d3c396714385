import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { writeWeights } from '#model/decoder/weights.ts'
import { groupStep } from '../groupStep.ts'
import { openAdapterPolicy } from './adapterPolicy.ts'
import { openWholePolicy, type PolicySettings } from './wholePolicy.ts'

const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'], rankStabilized: false }
const [prompt, tokens] = [Int32Array.of(1, 2), Int32Array.of(4, 5)]

async function tinyFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-tiny-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(), 'F32')
  return folder
}

const open = {
  whole: (folder: string, settings: PolicySettings) => openWholePolicy(folder, folder, settings),
  adapter: (folder: string, settings: PolicySettings) =>
    openAdapterPolicy(folder, folder, { lora, base: 'float32' }, settings),
}

test.each(['whole', 'adapter'] as const)(
  'the limit of the gradient and the temperature reach the trainer of a policy (%s)',
  async kind => {
    const folder = await tinyFolder()
    async function learned(settings: Partial<PolicySettings>) {
      const policy = await open[kind](folder, { threads: 1, device: 'cpu', adamW: { epsilon: 1 }, ...settings })
      const completions = [0, 1].map(reward => ({
        tokens: tokens.map(token => token + reward),
        logprobs: new Float32Array(2).fill(-3),
        reward,
      }))
      const scored = { tokens: Int32Array.of(...prompt, ...tokens), scored: Int32Array.of(2, 3) }
      const [before] = await policy.trainer.logprobs([scored])
      await groupStep(policy.trainer, [{ prompt, completions }], { learningRate: 1, recomputeLogprobs: true })
      const [after] = await policy.trainer.logprobs([scored])
      await policy.dispose()
      return { before, moved: Math.abs((after?.[1] as number) - (before?.[1] as number)) }
    }
    const usual = await learned({})
    expect((await learned({ clipNorm: 1e-3 })).moved).toBeLessThan(usual.moved / 10)
    expect((await learned({ temperature: 0.5 })).before).not.toEqual(usual.before)
  },
)
