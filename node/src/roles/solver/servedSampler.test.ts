import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { formatLoraConfig } from '#model/lora/loraConfig.ts'
import { createHandOver } from './servedSampler.ts'

const peerKey = `0x${'11'.repeat(32)}` as const

/** A hand-over of an adapter of rank 32 to this server, and the advice in its log. */
function setUp(server: Parameters<typeof createHandOver>[0]['server']) {
  const policyFolder = mkdtempSync(join(tmpdir(), 'waggle-served-'))
  const config = { rank: 32, alpha: 64, targets: ['q_proj'], rankStabilized: false }
  writeFileSync(join(policyFolder, 'adapter_config.json'), JSON.stringify(formatLoraConfig(config, 'base')))
  writeFileSync(join(policyFolder, 'adapter_model.safetensors'), '')
  const advice: unknown[] = []
  const warn = (_: string, about?: Readonly<Record<string, unknown>>) => void advice.push(about?.advice)
  const logger = { info: () => {}, warn }
  const policy = { weightsHash: async () => `0x${'ab'.repeat(32)}` as const }
  const sharedFolder = join(policyFolder, 'served')
  return { handOver: createHandOver({ server, policy, logger, peerKey, policyFolder, sharedFolder }), advice }
}

/** The advice in the log, if the server answers a hand-over by this error. */
async function adviceOn(error: unknown, until = new AbortController().signal): Promise<unknown> {
  const server = { models: async () => [], loadAdapter: () => Promise.reject(error), unloadAdapter: async () => {} }
  const { handOver, advice } = setUp(server)
  expect(await handOver.now(until)).toEqual({ adapter: null, isCurrent: false })
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

test('an adapter that the server took is current, even if there was no time to unload the one before', async () => {
  const late = new AbortController()
  const earlier = `waggle-${'11'.repeat(8)}-${'cd'.repeat(8)}`
  const { handOver, advice } = setUp({
    models: async () => [earlier],
    loadAdapter: async () => {},
    async unloadAdapter() {
      late.abort(new DOMException('The time is up.', 'TimeoutError'))
      late.signal.throwIfAborted()
    },
  })
  expect(await handOver.now(late.signal)).toEqual({ adapter: earlier.replaceAll('cd', 'ab'), isCurrent: true })
  expect(advice).toEqual([])
})
