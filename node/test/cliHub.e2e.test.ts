import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startTestHub, TEST_REPO } from '#hub/testHub.ts'
import { runCli } from './cliProcess.ts'

const TOKEN = 'hf_secretSecretSecret'
const files = { 'config.json': '{}', 'model.safetensors': Buffer.alloc(2_000, 7) }
const hub = await startTestHub(files, TOKEN)
afterAll(() => hub.close())
const models = mkdtempSync(join(tmpdir(), 'waggle-models-'))
const env = { HF_TOKEN: TOKEN, WAGGLE_MODELS: models }

test('a model is pulled and pushed from the command line, and the token is never shown', async () => {
  const pulled = await runCli(['pull', TEST_REPO, '--hub', hub.url, '--json'], env)
  expect(pulled).toMatchObject({ code: 0, stderr: expect.stringContaining('MB') })
  const { folder } = JSON.parse(pulled.stdout)
  expect(readFileSync(join(folder, 'model.safetensors'))).toEqual(files['model.safetensors'])

  const pushed = await runCli(['push', folder, TEST_REPO, '--hub', hub.url, '--json'], env)
  expect(JSON.parse(pushed.stdout)).toMatchObject({ files: ['config.json', 'model.safetensors', 'README.md'] })
  const denied = await runCli(['pull', TEST_REPO, '--hub', hub.url, '--models', `${models}/x`], {
    ...env,
    HF_TOKEN: 'hf_wrong',
  })
  expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining('[HUB_DENIED]') })
  for (const { stdout, stderr } of [pulled, pushed, denied]) expect(stdout + stderr).not.toContain('hf_')
})

test('what is no repository, and a hub that is away, are one line', async () => {
  expect(await runCli(['pull', 'nothing'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('[HUB_REFERENCE]'),
  })
  writeFileSync(join(models, 'file'), '')
  const disk = await runCli(['pull', TEST_REPO, '--hub', hub.url, '--models', join(models, 'file')], env)
  expect(disk).toMatchObject({ code: 1, stderr: expect.stringContaining('[HUB_DISK]') })
})
