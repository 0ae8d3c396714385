import type { Values } from '../command.ts'
import { readSpec } from '../models/chatModels.ts'
import { openModel } from '../options/modelOptions.ts'
import { UsageError } from '../usageError.ts'
import { hubSettings } from './createEnvironment.ts'

/** Tells an author what is wrong with a new kind of environment. */
export async function checkEnvironment(path: string, { model, judge, json, ...values }: Values): Promise<void> {
  if (typeof model !== 'string')
    throw new UsageError('--model is missing.', { hint: 'Name a chat model: prompts are made with its tokenizer.' })
  const settings = hubSettings(values)
  const modelFolder = await openModel(model, settings)
  const judgeFolder = typeof judge === 'string' ? await openModel(judge, settings) : null
  const { checkEnvironmentModule } = await import('#roles/models/checkEnvironmentModule.ts')
  const { createSandbox } = await import('#sandbox/createSandbox.ts')
  const sandbox = createSandbox()
  const request = {
    ...{ modelFolder, judgeFolder, judgeModel: null, pairs: 200, samples: 8, threads: 2 },
    precision: 'float32' as const,
    runCode: sandbox.evaluate,
  }
  const { findings, hash } = await checkEnvironmentModule(path, request).finally(() => sandbox.close())
  if (findings.length > 0) process.exitCode = 1
  if (json === true) return console.log(JSON.stringify({ ok: findings.length === 0, findings, hash }))
  for (const finding of findings) console.log(finding)
  if (findings.length === 0) console.log(`nothing is wrong; its specification's hash is ${hash}`)
}

/** The hash under which the chain knows a specification. */
export async function showHash(path: string, { json }: Values): Promise<void> {
  const spec = await readSpec(path)
  const { environmentHash } = await import('#environments/environmentSpec.ts')
  const hash = environmentHash(spec)
  console.log(json === true ? JSON.stringify({ path, hash }) : hash)
}
