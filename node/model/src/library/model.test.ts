import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createGenerator,
  createTrainer,
  generate,
  groupAdvantages,
  initWeights,
  loadGenerator,
  loadModel,
  loadScorer,
  logits,
  score,
  train,
  trainStep,
} from '@waggle/model'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../model/golden/decoders/llama-linear')
const prompts = [Int32Array.of(5, 17, 3), Int32Array.of(88)]

test('a model of a folder generates, scores, and generates otherwise once it has learned', async () => {
  const model = await loadModel(folder, { training: { optimizer: { kind: 'adamW' } } })
  const sampled = await generate(model, { prompts, samplesPerPrompt: 4, maxNewTokens: 12 })
  expect(sampled).toHaveLength(8)
  expect(sampled.every(({ tokens, ended }) => tokens.length <= 12 && ended === (tokens.at(-1) === 7))).toBe(true)

  const [first] = sampled
  const tokens = Int32Array.of(5, 17, 3, ...(first?.tokens ?? []))
  const [scores] = await score(model, [{ tokens, from: 3 }])
  expect(scores?.logprobs[0]).toBeCloseTo(first?.logprobs[0] as number, 4)
  const before = await lastLogits(tokens)

  // Fewer tokens above 48 are better.
  const reward = (completion: Int32Array) => completion.filter(token => token < 48).length / completion.length
  const groups = prompts.map((prompt, i) => ({
    prompt,
    completions: sampled.slice(4 * i, 4 * i + 4).map(made => ({ ...made, reward: reward(made.tokens) })),
  }))
  const { groupsUsed, step } = await trainStep(model, groups, { learningRate: 1e-2 })
  expect(groupsUsed).toBeGreaterThan(0)
  expect(step?.gradientNorm).toBeGreaterThan(0)
  expect(await lastLogits(tokens)).not.toEqual(before)
  const again = await generate(model, { prompts, samplesPerPrompt: 4, maxNewTokens: 12 })
  expect(again.map(made => [...made.tokens])).not.toEqual(sampled.map(made => [...made.tokens]))
  await model.dispose()

  async function lastLogits(of: Int32Array): Promise<number[]> {
    let last = new Float32Array(0)
    for await (const row of logits(model, of)) last = row.slice()
    return [...last]
  }
})

test.each(['float32', 'int8'] as const)(
  'a model generates and scores under the adapter that it trains, over a %s base',
  async precision => {
    const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'up_proj'], rankStabilized: false }
    const model = await loadModel(folder, { training: { adapter: lora, precision } })
    const before = model.weights.get('model.layers.0.self_attn.q_proj.weight')?.data.slice()
    const request = { prompts, samplesPerPrompt: 4, maxNewTokens: 12 }
    const first = await generate(model, request)
    const groups = prompts.map((prompt, i) => ({
      prompt,
      completions: first.slice(4 * i, 4 * i + 4).map((made, k) => ({ ...made, reward: k % 2 })),
    }))
    const learningRate = { kind: 'linear', peak: 0.1, totalSteps: 4 } as const
    const rates: (number | undefined)[] = []
    for (let i = 0; i < 3; i++) rates.push((await trainStep(model, groups, { learningRate })).step?.learningRate)
    expect(rates).toEqual([0.1, expect.closeTo(0.075, 9), expect.closeTo(0.05, 9)])
    const learned = await generate(model, request)
    expect(learned.map(({ tokens }) => [...tokens])).not.toEqual(first.map(({ tokens }) => [...tokens]))
    const [after] = learned
    expect(model.weights.get('model.layers.0.self_attn.q_proj.weight')?.data).toEqual(before)
    const tokens = Int32Array.of(...(prompts[0] as Int32Array), ...(after?.tokens ?? []))
    const [scores] = await score(model, [{ tokens, from: 3 }])
    expect(scores?.logprobs[0]).toBeCloseTo(after?.logprobs[0] as number, precision === 'int8' ? 1 : 4)
    await model.dispose()
  },
)

test('a disposed model is refused, and no session is opened for it again', async () => {
  const model = await loadModel(folder)
  const request = { prompts, maxNewTokens: 2 }
  await generate(model, request)
  const [running, ended] = [generate(model, request), model.dispose()]
  expect(await running).toHaveLength(2)
  await Promise.all([ended, model.dispose()])
  const gone = /^the model was disposed of$/
  await expect(generate(model, request)).rejects.toThrow(gone)
  await expect(score(model, [{ tokens: Int32Array.of(1, 2), from: 1 }])).rejects.toThrow(gone)
  await expect(trainStep(model, [], { learningRate: 1e-3 })).rejects.toThrow(gone)

  const [generator, scorer] = [await loadGenerator(folder), await loadScorer(folder)]
  await Promise.all([generator.dispose(), scorer.dispose()])
  await Promise.all([generator.dispose(), scorer.dispose()])
  const more = { ...request, samplesPerPrompt: 1, temperature: 1, stopToken: -1, seed: '0' }
  await expect(generator.generate(more)).rejects.toThrow(gone)
  await expect(scorer.score([{ tokens: Int32Array.of(1, 2), from: 1 }])).rejects.toThrow(gone)
})

test('a session that failed to open is opened by the next use, and keeps no other from being freed', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'waggle-model-'))
  await cp(folder, copy, { recursive: true })
  const adapter = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
  const model = await loadModel(copy, { training: { adapter } })
  const trainer = await model.trainer
  const [weights, away] = [join(copy, 'model.safetensors'), join(copy, 'away')]
  const request = { prompts, maxNewTokens: 2 }
  await rename(weights, away)
  await expect(generate(model, request)).rejects.toThrow('is missing')
  await expect(score(model, [{ tokens: Int32Array.of(1, 2), from: 1 }])).rejects.toThrow('is missing')
  await rename(away, weights)
  expect(await generate(model, request)).toHaveLength(2)
  await rename(weights, away)
  const [scorer, ended] = [model.scorer, model.dispose()]
  await expect(scorer).rejects.toThrow('is missing')
  await ended
  const sequence = { tokens: Int32Array.of(1, 2), scored: Int32Array.of(1) }
  await expect(trainer.logprobs([sequence])).rejects.toThrow('disposed')
  await rm(copy, { recursive: true })
})

test.each([{ rank: 0 }, { rank: 1.5 }, { rank: 1e9 }, { alpha: 0 }, { alpha: Number.NaN }, { targets: [] }])(
  'an adapter that cannot be is refused: %o',
  async wrong => {
    const adapter = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false, ...wrong }
    await expect(loadModel(folder, { training: { adapter } })).rejects.toThrow(/^an adapter(:| of rank) /)
  },
)

test('wrong arguments from JavaScript are refused by the option’s name, before any work starts', async () => {
  const model = await loadModel(folder)
  const scorer = await loadScorer(folder)
  const trainer = await model.trainer
  const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
  const sequence = { tokens: Int32Array.of(1, 2, 3), from: 1 }
  const never = { reward: () => 0, steps: 1, update: { learningRate: 1e-3 } }
  const calls: Record<string, (wrong: object) => unknown> = {
    generate: wrong => generate(model, { prompts, maxNewTokens: 1, ...wrong }),
    score: wrong => score(model, [{ ...sequence, ...wrong }]),
    choose: wrong => scorer.choose([{ tokens: sequence.tokens, candidates: [1], ...wrong }]),
    loadModel: wrong => loadModel(folder, wrong),
    loadGenerator: wrong => loadGenerator(folder, wrong),
    adapter: wrong => loadModel(folder, { training: { adapter: { ...lora, ...wrong } } }),
    createGenerator: wrong => createGenerator(model.config, model.weights, wrong),
    createTrainer: wrong => createTrainer(model.config, model.weights, wrong),
    train: wrong => train(model, { tasks: [{ prompt: prompts[0] as Int32Array }], ...never, ...wrong }),
    update: wrong =>
      train(model, {
        tasks: [{ prompt: prompts[0] as Int32Array }],
        ...never,
        update: { learningRate: 1e-3, ...wrong },
      }),
    trainStep: wrong => trainStep(model, [], { learningRate: 1e-3, ...wrong }),
    load: wrong => trainer.load(wrong as never),
    groupAdvantages: wrong => groupAdvantages([Float32Array.of(1, 2)], wrong),
  }
  const wrongs: Record<keyof typeof calls, Record<string, readonly unknown[]>> = {
    generate: {
      prompts: [null, 'text', [[1, 2]], [Float32Array.of(1.5)], [new BigInt64Array(1)]],
      maxNewTokens: ['3', null, Number.NaN, 5n],
      temperature: ['1', [], true],
      stopToken: [1.5, 'end'],
      moreStopTokens: [7, [1.5]],
      seed: [7, null, {}, Number.NaN],
      promptNumbers: [
        [-1, 0],
        [0.5, 1],
      ],
      onToken: ['x'],
      signal: [{}],
      topP: ['0.9'],
      maxTokens: [5],
    },
    score: { tokens: [[1, 2, 3], Float32Array.of(1, 2)], from: ['1', null] },
    choose: { candidates: [undefined, [], [1.5], 3] },
    loadModel: { adapter: [7, ''], threads: [0, '2', 1e6], device: ['gpu'], thread: [2], training: [7] },
    loadGenerator: { precision: ['int2', 8], cacheFolder: [7], onProgress: [true] },
    adapter: { rank: ['2'], targets: ['q_proj', [7]], rankStabilized: ['no'], r: [8] },
    createGenerator: { threads: [Number.NaN, null], device: ['tpu'] },
    createTrainer: { threads: [0.5], clipnorm: [1], layered: ['yes'], maxTokens: ['2048'], adapter: [lora] },
    train: { tasks: [[], [{}]], reward: [7], steps: [0, '3'], groupSize: [1], group_size: [8], sampling: ['0'] },
    update: {
      learningRate: [-1, '1e-3', undefined, { kind: 'cosine', peak: 1e-5 }],
      ...{ loss_type: ['grpo'], minDeviation: [-1], maxKl: [-1], lossType: ['ppo'], clipLow: ['0.2'] },
    },
    trainStep: { loss_type: ['grpo'], klBeta: ['0.1', null], truncated: [true] },
    load: { tensors: [{}] },
    groupAdvantages: { scaleRewards: ['std', null], minDeviation: ['0', -1] },
  }
  for (const [call, options] of Object.entries(wrongs))
    for (const [option, values] of Object.entries(options))
      for (const value of values) {
        const refused = await (async () => calls[call]?.({ [option]: value }))().then(
          () => 'taken',
          error => error,
        )
        expect(refused, `${call} ${option}`).toMatchObject({ code: expect.stringMatching(/^(MODEL_INPUT|TRAINER)$/) })
        expect(refused.message, `${call} ${option}`).toMatch(call === 'load' ? 'steps' : option)
      }
  expect(await generate(model, { prompts, maxNewTokens: 1, seed: undefined } as never)).toHaveLength(2)
  expect(() => initWeights(model.config, 7 as never)).toThrow(/^a seed is a text or bytes, not a number$/)
  await expect(loadModel(undefined as never)).rejects.toThrow(/^the folder of a model: .*expected string/)
  await expect(generate({} as never, { prompts })).rejects.toThrow('not a loaded model')
  await Promise.all([model.dispose(), scorer.dispose()])
})
