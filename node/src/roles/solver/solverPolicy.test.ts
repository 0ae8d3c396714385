import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import type { PolicyHash } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import type { Published } from '#rl/policy/policyProtocol.ts'
import { openBundles } from '#store/bundles.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createPolicySaver, isItsPolicy, namePolicy, samplerOf, saveLearned } from './solverPolicy.ts'

const peerKey: Hex = `0x${'22'.repeat(32)}`
const base = 'base'
const request = { prompts: [], samplesPerPrompt: 1, maxNewTokens: 1, temperature: 1, stopToken: 0, seed: 'seed' }

/** Weights: one byte that says which. */
const bytesOf = (version: number) => new Uint8Array([version])
const hashOf = (version: number) => contentId(bytesOf(version))

/** A solver whose names are mined while `mines`; it samples by the version of its weights. */
async function solver() {
  const clock = createManualClock()
  const warned: string[] = []
  const write = (text: string) => {
    warned.push(JSON.parse(text).message)
  }
  const logger = createLogger({ write, format: 'json', level: 'warn', clock })
  const named: [round: number, hash: Hex][] = []
  const asked: [round: number, hash: Hex][] = []
  const state = { version: 1, mines: true }
  const sampled = (version: number) => [{ tokens: Int32Array.of(version) }] as unknown as Completion[]
  const policy = {
    weightsHash: async () => hashOf(state.version),
    publish: async () => bytesOf(state.version),
    generate: async () => sampled(state.version),
    generatePublished: async (published: Published, _: GenerateOptions) => sampled(published.policy[0] as number),
  }
  const bundles = await openBundles(mkdtempSync(join(tmpdir(), 'waggle-names-')), { logger })
  const chain = {
    peerKey,
    async commitPolicy(round: number, hash: Hex) {
      asked.push([round, hash])
      if (state.mines) named.push([round, hash])
      return { status: 'mined', hash, block: 1 } as const
    },
    readPolicies: async (round: number) => {
      const last = named.filter(([from]) => from <= round && from > round - 8).at(-1)
      return new Map(last ? [[peerKey, last[1]]] : [])
    },
  }
  const modules = { chain, bundles, logger, journal: createJournal(openDatabase(':memory:'), clock) }
  return {
    ...{ state, bundles, asked, warned, policy, chain },
    name: (round: number) => namePolicy(modules, policy, round),
    /** Version that samples in a round, and its hash. */
    async samples(round: number) {
      const sampler = await samplerOf(modules, policy, base, round)
      const [completion] = await sampler.generate(request)
      return [completion?.tokens[0], await sampler.weightsHash()]
    },
  }
}

test('the policy that was named in time samples, and is kept for who checks its answers', async () => {
  const one = await solver()
  await one.name(5)
  expect(await one.samples(5)).toEqual([1, hashOf(1)])
  expect(await one.bundles.get(hashOf(1))).toEqual(bytesOf(1))
  // It learned nothing: the same policy is named, once for each round.
  await one.name(6)
  await one.name(6)
  expect(one.asked).toEqual([
    [5, hashOf(1)],
    [6, hashOf(1)],
  ])
  expect(one.warned).toEqual([])
})

test('if a name comes too late, the policy before it samples, and the newer one is named at once', async () => {
  const one = await solver()
  await one.name(5)
  one.state.version = 2
  one.state.mines = false
  await one.name(6)
  one.state.mines = true
  expect(await one.samples(6)).toEqual([1, hashOf(1)])
  // After a restart in that round too.
  expect(await one.samples(6)).toEqual([1, hashOf(1)])
  expect(one.asked.slice(2)).toEqual([[7, hashOf(2)]])
  expect(await one.samples(7)).toEqual([2, hashOf(2)])
  expect(one.warned).toEqual([])
})

test('a checkpoint that is older than the named policy learns, and the named one samples', async () => {
  const one = await solver()
  one.state.version = 2
  await one.name(5)
  one.state.version = 1
  expect(await one.samples(5)).toEqual([2, hashOf(2)])
  expect(one.warned).toEqual([])
})

test('a solver of which no name holds, or that lost what it named, says that it earns nothing, and names what it has', async () => {
  const one = await solver()
  expect(await one.samples(5)).toEqual([1, hashOf(1)])
  await one.name(6)
  await one.bundles.forget(hashOf(1), null)
  one.state.version = 2
  expect(await one.samples(6)).toEqual([2, hashOf(2)])
  expect(one.warned).toEqual(Array(2).fill('the policy of this round is not the named one: its answers earn nothing'))
  await one.name(7)
  expect(await one.samples(7)).toEqual([2, hashOf(2)])
  expect(await one.samples(15)).toEqual([2, hashOf(2)])
  expect(one.warned).toHaveLength(3)
})

test('a policy that is too large to publish is not named', async () => {
  const one = await solver()
  one.policy.publish = async () => new Uint8Array(MAX_POLICY_BYTES + 1)
  await one.name(5)
  expect(one.asked).toEqual([])
  expect(one.warned).toEqual(['the policy is too large to publish, so that its answers earn nothing; train an adapter'])
})

test('a policy is forgotten 16 rounds after it last sampled', async () => {
  const one = await solver()
  await one.name(1)
  expect(await one.samples(2)).toEqual([1, hashOf(1)])
  one.state.version = 2
  for (let round = 3; round < 18; round++) await one.name(round)
  expect(one.bundles.has(hashOf(1))).toBe(true)
  await one.name(18)
  expect(one.bundles.has(hashOf(1))).toBe(false)
})

test('policies are forgotten too where rounds are skipped', async () => {
  const one = await solver()
  for (let round = 1; round <= 61; round += 2) {
    one.state.version = round
    await one.name(round)
  }
  const kept = Array.from({ length: 61 }, (_, at) => at + 1).filter(version => one.bundles.has(hashOf(version)))
  expect(kept).toEqual([47, 49, 51, 53, 55, 57, 59, 61])
})

test('a name that a full disk kept from the outbox is sent when the policy is named again', async () => {
  const one = await solver()
  const { commitPolicy } = one.chain
  one.chain.commitPolicy = () => {
    throw new Error('ENOSPC: no space left on device, write')
  }
  await expect(one.name(5)).rejects.toThrow('ENOSPC')
  one.chain.commitPolicy = commitPolicy
  await one.name(5)
  expect(one.asked).toEqual([[5, hashOf(1)]])
})

test('a round is answered by one policy: again by the same one after a stop, and not by one that learned from it', async () => {
  const node = { journal: createJournal(openDatabase(':memory:'), createManualClock()), logger: silentLogger }
  const policy = (hash: `0x${string}`) => ({ weightsHash: async () => hash })
  expect(await isItsPolicy(node, policy('0x01'), 5)).toBe(true)
  expect(await isItsPolicy(node, policy('0x01'), 5)).toBe(true)
  expect(await isItsPolicy(node, policy('0x02'), 5)).toBe(false)
  expect(await isItsPolicy(node, policy('0x02'), 6)).toBe(true)
})

test('a policy whose save failed is saved again, and then not until it changes', async () => {
  const saves: string[] = []
  let isFull = true
  const policy = {
    async save(folder: string) {
      saves.push(folder)
      if (isFull) throw new Error('ENOSPC: no space left on device, write')
      return { weightsHash: `0x${'11'.repeat(32)}` as PolicyHash, steps: 1 }
    },
  }
  const saver = createPolicySaver(policy, 'policy')
  await saver.save()
  saver.changes()
  await expect(saver.save()).rejects.toThrow('ENOSPC')
  isFull = false
  await saver.save()
  await saver.save()
  expect(saves).toEqual(['policy', 'policy'])
})

test('a round whose updates were lost with the worker before they were saved learned nothing', async () => {
  const learned = { updates: 3, taken: 2, meanReward: 0.5 }
  const saved = async (died: boolean, found = learned) => {
    let setbacks = 1
    const warned: string[] = []
    const write = (line: string) => void warned.push(JSON.parse(line).message)
    const logger = createLogger({ write, format: 'json', level: 'warn', clock: createManualClock() })
    const saver = {
      changes() {},
      // A save notices that the worker is gone, and saves what the next one has loaded.
      async save() {
        if (died) setbacks += 1
      },
    }
    return { report: await saveLearned({ learner: { setbacks: () => setbacks }, logger }, saver, 7, found), warned }
  }
  expect(await saved(false)).toEqual({ report: learned, warned: [] })
  expect(await saved(true)).toEqual({
    report: { updates: 0, taken: 0, meanReward: 0.5 },
    warned: ['updates of this round were lost with the worker'],
  })
  const nothing = { ...learned, updates: 0, taken: 0 }
  expect(await saved(true, nothing)).toEqual({ report: nothing, warned: [] })
})
