import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DecoderConfig, formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { hashWeights, type Weights, writeWeights } from '#model/decoder/weights.ts'
import { createAdaptedGenerator } from '#model/generation/adaptedGenerator.ts'
import type { Generator } from '#model/generation/generate.ts'
import { loadGenerator, openFrozenTensors } from '#model/generation/loadGenerator.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { frozenParts } from '#model/quantization/frozenParts.ts'
import { precisions } from '#model/quantization/precision.ts'
import { createAdaptedScorer } from '#model/scoring/adaptedScorer.ts'
import { loadScorer } from '#model/scoring/loadScorer.ts'
import type { Scorer } from '#model/scoring/score.ts'
import { stepShape } from '#rl/passes/plannedPasses.ts'
import { leastStepBytes, type StepShape, stepPlan, trainedElements } from '#rl/passes/stepPlan.ts'
import { createTrainer } from '#rl/trainer.ts'

/**
 * Results are bitwise identical whatever else is in the batch and however many threads run, at the shape of a real model.
 * Kernels cut large products into blocks, and use other kernels for one row than for many; tiny models meet only one of them.
 *
 * @param lengths - tokens of the prompts.
 */
export function determinismTests(config: DecoderConfig, lengths: readonly number[], newTokens: number): void {
  let folder = ''
  let weights: Weights
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waggle-determinism-'))
    weights = initWeights(config, 'determinism')
    await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(config)))
    await writeWeights(join(folder, 'model.safetensors'), weights, 'F32')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const tokens = (length: number, seed: number) =>
    Int32Array.from({ length }, (_, i) => (7919 * (i + 1) * (seed + 1) + i * i) % config.vocabSize)
  const prompts = lengths.map(tokens)

  test.each(precisions)('%s completions: reruns, 1 and 2 threads, together and alone', async precision => {
    const request = { temperature: 1, stopToken: -1, seed: 'bits', maxNewTokens: newTokens }
    const open = (threads: number) => loadGenerator(folder, { precision, threads })
    const [one, two] = [await open(1), await open(2)]
    const together = await two.generate({ ...request, prompts, samplesPerPrompt: 3 })
    expect(await two.generate({ ...request, prompts, samplesPerPrompt: 3 })).toEqual(together)
    for (const [i, prompt] of prompts.entries()) {
      const alone = { ...request, prompts: [prompt], promptNumbers: [i], samplesPerPrompt: 1 }
      expect(await one.generate(alone)).toEqual([{ ...together[3 * i], prompt: 0 }])
    }
    await Promise.all([one.dispose(), two.dispose()])
  })

  test.each(precisions)('%s scores: reruns, 1 and 2 threads, together and alone', async precision => {
    const open = (threads: number) => loadScorer(folder, { precision, threads })
    const [one, two] = [await open(1), await open(2)]
    const sequences = prompts.map((prompt, i) => ({ tokens: prompt, from: i % 2 ? prompt.length - 1 : 1 }))
    const choices = prompts.map(prompt => ({ tokens: prompt, candidates: [1, 2] }))
    const together = await two.score([...sequences, ...sequences])
    const chosen = await two.choose(choices)
    for (const [i, sequence] of sequences.entries()) {
      expect(together[i + sequences.length]).toEqual(together[i])
      expect(await one.score([sequence])).toEqual([together[i]])
      expect(await one.choose(choices.slice(i, i + 1))).toEqual([chosen[i]])
    }
    await Promise.all([one.dispose(), two.dispose()])
  })

  test.each(['float32', 'int8'] as const)(
    'completions and scores under an adapter over a %s base: reruns, 1 and 2 threads, together and alone',
    async precision => {
      const adapter = initLora(config, { rank: 8, alpha: 16, targets: [...allLinear], rankStabilized: false }, 'bits')
      for (const [name, { data }] of adapter.factors)
        if (name.endsWith('lora_B.weight')) data.set(data.map((_, i) => 0.05 * Math.sin(i + name.length)))
      const base = frozenParts(config, await openFrozenTensors(folder, config, { precision }))
      const generators = await Promise.all(
        [1, 2].map(threads => createAdaptedGenerator(config, base, adapter, { threads })),
      )
      const [one, two] = generators as [Generator, Generator]
      const request = { temperature: 1, stopToken: -1, seed: 'bits', maxNewTokens: newTokens }
      const some = prompts.slice(0, 3)
      const together = await two.generate({ ...request, prompts: some, samplesPerPrompt: 3 })
      for (const [i, prompt] of some.entries()) {
        const alone = { ...request, prompts: [prompt], promptNumbers: [i], samplesPerPrompt: 1 }
        expect(await one.generate(alone)).toEqual([{ ...together[3 * i], prompt: 0 }])
        if (i === 0) expect(await two.generate(alone)).toEqual([{ ...together[0], prompt: 0 }])
      }
      await Promise.all([one.dispose(), two.dispose()])
      const scorers = await Promise.all([1, 2].map(threads => createAdaptedScorer(config, base, adapter, { threads })))
      const [reader, other] = scorers as [Scorer, Scorer]
      const sequences = some.map(tokens => ({ tokens, from: 1 }))
      const scores = await other.score(sequences)
      for (const [i, sequence] of sequences.entries()) expect(await reader.score([sequence])).toEqual([scores[i]])
      await Promise.all([reader.dispose(), other.dispose()])
    },
  )

  test.each(['float32', 'int8'] as const)(
    'a step over a %s base: reruns, 1 and 2 threads, much and little memory',
    async precision => {
      const lora = { rank: 8, alpha: 16, targets: [...allLinear], rankStabilized: false }
      const begun = prompts.slice(0, 3).map(prompt => Int32Array.of(...tokens(24, 9), ...prompt)) // all begin alike
      const again = begun.slice(1).map(prompt => prompt.with(-1, 1)) // shares all but its last token
      const batch = [...begun, ...again].map((prompt, i) => ({
        tokens: prompt,
        scored: Int32Array.from({ length: 8 }, (_, t) => prompt.length - 8 + t),
        oldLogprobs: new Float32Array(8).fill(-Math.log(config.vocabSize)),
        advantage: i % 2 ? 1 : -1,
      }))
      const step = async (threads: number, memoryBytes = 8e9) => {
        const adapter = initLora(config, lora, 'bits')
        const trainer = await createTrainer(config, weights, {
          threads,
          adapter,
          layered: true,
          precision,
          memoryBytes,
        })
        await trainer.policyStep(batch, { learningRate: 1e-3, clipLow: 0.2, clipHigh: 0.28, klBeta: 0 })
        await trainer.dispose()
        return hashWeights(adapter.factors)
      }
      const elements = trainedElements(config, initLora(config, lora, 'bits').factors)
      const first = await step(1)
      expect(await step(2)).toBe(first)
      expect(await step(2)).toBe(first)
      const little = leastMemory(config, { ...stepShape({ kind: 'crossEntropy' }, batch, elements), precision })
      expect(await step(2, little)).toBe(first)
    },
  )
}

/** The least, within a tenth, with which a step has the parts that it has with much. */
function leastMemory(config: DecoderConfig, shape: StepShape): number {
  const much = stepPlan(config, shape, 8e9)
  const least = leastStepBytes(config, shape)
  let bytes = 8e9
  while (0.9 * bytes > least && stepPlan(config, shape, 0.9 * bytes).sequences === much.sequences) bytes *= 0.9
  expect(stepPlan(config, shape, bytes).kept).not.toBe(much.kept)
  return bytes
}
