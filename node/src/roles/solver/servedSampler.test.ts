import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { formatLoraConfig } from '#model/lora/loraConfig.ts'
import { createHandOver } from './servedSampler.ts'

/** The advice in the log, if the server answers a hand-over of an adapter of rank 32 by this error. */
async function adviceOn(error: unknown, until = new AbortController().signal): Promise<unknown> {
  const policyFolder = mkdtempSync(join(tmpdir(), 'waggle-served-'))
  const config = { rank: 32, alpha: 64, targets: ['q_proj'], rankStabilized: false }
  writeFileSync(join(policyFolder, 'adapter_config.json'), JSON.stringify(formatLoraConfig(config, 'base')))
  writeFileSync(join(policyFolder, 'adapter_model.safetensors'), '')
  const server = { models: async () => [], loadAdapter: () => Promise.reject(error), unloadAdapter: async () => {} }
  const advice: unknown[] = []
  const warn = (_: string, about?: Readonly<Record<string, unknown>>) => void advice.push(about?.advice)
  const logger = { info: () => {}, warn }
  const policy = { weightsHash: async () => `0x${'ab'.repeat(32)}` as const }
  const sharedFolder = join(policyFolder, 'served')
  const modules = { server, policy, logger, peerKey: `0x${'11'.repeat(32)}` as const, policyFolder, sharedFolder }
  expect(await createHandOver(modules).now(until)).toEqual({ adapter: null, isCurrent: false })
  return advice[0]
}

test('a refused adapter is answered by the options of vLLM, with the rank that it must take', async () => {
  const advice = await adviceOn(new ChatServerError('SERVER_REFUSED', 'x refuses the request (400).'))
  expect(advice).toContain('--enable-lora')
  expect(advice).toContain('--max-lora-rank 32 or higher')
})

test('a server that is away or too slow is not told to start with other options', async () => {
  const offline = new ChatServerError('SERVER_OFFLINE', 'x cannot be reached.')
  expect(await adviceOn(offline)).toBe(offline.hint)
  const late = new AbortController()
  late.abort(new DOMException('The time is up.', 'TimeoutError'))
  expect(await adviceOn(late.signal.reason, late.signal)).toContain('again in the next round')
})
