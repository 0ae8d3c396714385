import type { Command } from '../command.ts'
import { readSpec } from '../models/chatModels.ts'
import { unknownWord } from '../nearest.ts'
import { type HubSettings, hubOptions, hubUsage, openModel } from '../options/modelOptions.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Tells an author what is wrong with a new kind of environment. */
export const env: Command = {
  usage: `npx waggle env check PATH --model PATH_OR_REPO [--judge PATH_OR_REPO] [--json]
npx waggle env hash FILE [--json]

check runs the environment that a module exports as kind, and reports what would break a swarm: tasks, prompts or scores that differ
between peers, held-out tasks in the training set, answers that make scoring fail, a specification with more than one hash.

hash checks a specification that was written or edited by hand, and prints its hash, which the chain has to name.

  --model PATH_OR_REPO
                      the chat model whose template prompts use; nothing is generated
  --judge PATH_OR_REPO
                      the frozen judge, if the kind needs one
${hubUsage}
  --json              print one JSON object on the last line`,
  options: { ...hubOptions, model: text, judge: text, json: { type: 'boolean' } },
  positionals: ['ACTION', 'PATH'],
  async run({ model, judge, json, models, hub }, [verb, path = '']) {
    if (verb === 'hash') return showHash(path, json === true)
    if (verb !== 'check') throw unknownWord('action', String(verb), ['check', 'hash'])
    if (typeof model !== 'string')
      throw new UsageError('--model is missing.', { hint: 'Name a chat model: prompts are made with its tokenizer.' })
    const settings: HubSettings = { models: models as string | undefined, hub: hub as string | undefined }
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
  },
}

/** The hash under which the chain knows a specification. */
async function showHash(path: string, asJson: boolean): Promise<void> {
  const spec = await readSpec(path)
  const { environmentHash } = await import('#environments/environmentSpec.ts')
  const hash = environmentHash(spec)
  console.log(asJson ? JSON.stringify({ path, hash }) : hash)
}
