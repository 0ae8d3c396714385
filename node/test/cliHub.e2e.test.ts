import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startTestHub, TEST_REPO } from '#hub/testHub.ts'
import { runCli, startCli } from './cliProcess.ts'

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

test('a download that Ctrl-C stops is resumed', async () => {
  const folder = join(models, 'stopped')
  const argv = ['pull', TEST_REPO, '--hub', hub.url, '--models', folder]
  const sent = Promise.withResolvers<void>()
  hub.intercept = (request, response) => {
    if (!request.url?.startsWith('/model.safetensors')) return false
    response.writeHead(206, { 'content-range': 'bytes 0-1999/2000' })
    response.write(files['model.safetensors'].subarray(0, 1_500), () => sent.resolve())
    return true
  }
  const stopped = startCli(argv, env)
  await sent.promise
  await stopped.told('0.0 MB  model.safetensors')
  stopped.interrupt()
  const { code, stderr } = await stopped.exited
  expect(code).toBe(130)
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^Stopped\. .* \[STOPPED\]$/)
  hub.intercept = undefined
  hub.seen.length = 0
  expect(await runCli(argv, env)).toMatchObject({ code: 0 })
  expect(hub.seen.find(({ path }) => path.startsWith('/model.safetensors'))?.range).toBe('bytes=1500-')
})

test('an invalid repository, an unreachable hub and a folder that cannot be made are each one line', async () => {
  expect(await runCli(['pull', 'nothing'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('[HUB_REFERENCE]'),
  })
  // Nothing answers on port 9 (discard).
  const away = await runCli(['pull', 'bees/other', '--hub', 'http://127.0.0.1:9'], env)
  expect(away).toMatchObject({
    code: 75,
    stderr: expect.stringMatching(/^127\.0\.0\.1:9 cannot be reached\. .*\[HUB_OFFLINE\]\n$/),
  })
  writeFileSync(join(models, 'file'), '')
  const disk = await runCli(['pull', TEST_REPO, '--hub', hub.url, '--models', join(models, 'file')], env)
  expect(disk).toMatchObject({ code: 1, stderr: expect.stringContaining('[HUB_DISK]') })
})
