import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadEnvironments } from '#environments/builtIn.ts'
import { environmentFrom, presets } from '#environments/codezero/presets.ts'
import type { Environment } from '#environments/environment.ts'
import { formatDecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { readWeights, writeWeights } from '#model/decoder/weights.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { writeLora } from '#model/lora/loraFiles.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { type AskedAdapter, adapterToTrain } from './adapterToTrain.ts'
import { learningOptions, openJudge, openPolicy } from './openModels.ts'

test('policies are trained as the specification says of training and sampling', () => {
  const { solving, training } = presets.starter
  const changed = environmentFrom('starter', {
    solving: { ...solving, temperature: 0.7, topP: 0.999 },
    training: { ...training, betas: [0.8, 0.95], weightDecay: 0.1, maxGradientNorm: 0.25 },
  })
  expect(learningOptions(changed)).toEqual({
    adamW: { beta1: 0.8, beta2: 0.95, weightDecay: 0.1 },
    clipNorm: 0.25,
    temperature: 0.7,
    topP: 0.999,
  })
  expect(() => environmentFrom('starter', { solving: { ...solving, temperature: 0 } })).toThrow('a temperature above 0')
  expect(() => environmentFrom('starter', { solving: { ...solving, topP: 0.9 } })).toThrow('0.99')
})

test('the worker of a judge that cannot be opened is stopped', async () => {
  const folder = await emptyFolder()
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(), 'F32')
  let worker: Pick<PolicyClient, 'weightsHash'> | null = null
  const environment = {
    judgeModel: { folder, precision: 'float32', weightsHash: null },
    openJudge(scorer: PolicyClient) {
      worker = scorer
      return Promise.reject(new Error('no judge'))
    },
  } as unknown as Environment
  await expect(openJudge(environment, { crashed: () => {} })).rejects.toThrow('no judge')
  await expect((worker as unknown as PolicyClient).weightsHash()).rejects.toMatchObject({ code: 'POLICY_CLOSED' })
})

async function emptyFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-adapter-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('a kept adapter is resumed over the base that it was trained on, also without a setting', async () => {
  const folder = await emptyFolder()
  const { starter } = await loadEnvironments()
  const worker = { crashed: () => {} }
  const request = {
    prompts: [Int32Array.of(5, 6, 7)],
    samplesPerPrompt: 1,
    maxNewTokens: 8,
    temperature: 1,
    stopToken: 0,
    seed: 'kept',
  }
  const trained = await openPolicy(starter, folder, {
    ...worker,
    adapter: { rank: 2, alpha: 4, targets: ['q_proj'], base: 'int8' },
  })
  const { weightsHash } = await trained.save(folder)
  const sampled = await trained.generate(request)
  await trained.close()
  const measured = await openPolicy(starter, folder, worker)
  expect(await measured.weightsHash()).toBe(weightsHash)
  expect(await measured.generate(request)).toEqual(sampled)
  await measured.close()
  const other = { ...starter, solverFolder: await otherWeights(starter.solverFolder) }
  await expect(openPolicy(other, folder, worker)).rejects.toMatchObject({
    code: 'KEPT_POLICY',
    message: expect.stringContaining(other.solverFolder),
  })
})

/** A model of the same shapes. */
async function otherWeights(solverFolder: string): Promise<string> {
  const folder = await emptyFolder()
  await cp(solverFolder, folder, { recursive: true })
  const weights = await readWeights(folder, await readDecoderConfig(folder))
  for (const { data } of weights.values()) data[0] = (data[0] as number) + 1
  await writeWeights(join(folder, 'model.safetensors'), weights, 'F32')
  return folder
}

const lora = { rank: 2, alpha: 4, targets: ['v_proj', 'q_proj'], rankStabilized: false }

async function keptAdapter(base: 'float32' | 'int8' | null) {
  const folder = await emptyFolder()
  await writeLora(folder, initLora(tinyConfig, lora, 'kept'), 'base', base)
  return folder
}

test('a kept adapter is checked against the settings that are given, and opened as it was kept without any', async () => {
  const folder = await keptAdapter('int8')
  const agreeing: (AskedAdapter | undefined)[] = [
    undefined,
    { rank: 2 },
    { base: 'int8' },
    { rank: 2, alpha: 4, targets: ['q_proj', 'v_proj'] },
  ]
  for (const asked of agreeing) expect(await adapterToTrain(folder, asked)).toEqual({ lora, base: 'int8' })
  const contradicting: [AskedAdapter, RegExp][] = [
    [{ rank: 16 }, /has rank 2, and --lora asks for 16\.$/],
    [{ rank: 2, alpha: 32 }, /has alpha 4, and --lora-alpha asks for 32\.$/],
    [{ targets: ['q_proj'] }, /has targets q_proj,v_proj, and --lora-targets asks for q_proj\.$/],
    [{ base: 'float32' }, /has base int8, and --lora-base asks for float32\.$/],
  ]
  for (const [asked, message] of contradicting)
    await expect(adapterToTrain(folder, asked)).rejects.toMatchObject({
      code: 'KEPT_POLICY',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('move that folder away'),
    })
})

test('an adapter without a recorded base is resumed over the requested one', async () => {
  const folder = await keptAdapter(null)
  expect(await adapterToTrain(folder, undefined)).toEqual({ lora, base: 'float32' })
  expect(await adapterToTrain(folder, { base: 'int8' })).toEqual({ lora, base: 'int8' })
})

test('a fresh adapter needs a rank, and is refused in a folder with fully trained weights', async () => {
  const folder = await emptyFolder()
  const all = { rank: 8, alpha: 16, targets: allLinear, rankStabilized: false }
  expect(await adapterToTrain(folder, { rank: 8 })).toEqual({ lora: all, base: 'float32' })
  expect(await adapterToTrain(folder, undefined)).toBeUndefined()
  await expect(adapterToTrain(folder, { base: 'int8' })).rejects.toThrow('This folder has no adapter yet')
  await writeFile(join(folder, 'model.safetensors'), '')
  expect(await adapterToTrain(folder, undefined)).toBeUndefined()
  await expect(adapterToTrain(folder, { rank: 8 })).rejects.toThrow('keeps weights that were trained whole')
})

test('a first save that was killed leaves no adapter to resume from', async () => {
  const folder = await keptAdapter('int8')
  await rename(join(folder, 'adapter_config.json'), join(folder, 'adapter_config.json.1.x.tmp'))
  expect(await adapterToTrain(folder, undefined)).toBeUndefined()
})

test('a model with fewer positions than the tasks need is refused', async () => {
  const { starter } = await loadEnvironments()
  const proposals = { ...starter.proposals, limits: { promptTokens: 160, positions: 257 } } as typeof starter.proposals
  await expect(openPolicy({ ...starter, proposals }, null, { crashed: () => {} })).rejects.toMatchObject({
    code: 'ENVIRONMENT_MISMATCH',
    hint: 'Name a model with at least 257 positions (max_position_embeddings in its config.json).',
  })
})
