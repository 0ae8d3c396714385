import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '../../node/model/src/model/decoder/tinyDecoder.ts'
import { hashWeights, readWeights } from '../../node/model/src/model/decoder/weights.ts'
import { initLora } from '../../node/model/src/model/lora/loraFactors.ts'
import { readLora } from '../../node/model/src/model/lora/loraFiles.ts'
import { readOptimizerState, saveAdapterCheckpoint, saveCheckpoint } from '../../node/model/src/rl/checkpoint.ts'
import { contentId } from '../../node/src/core/contentId.ts'
import type { PolicyHash } from '../../node/src/core/hashes.ts'
import { silentLogger } from '../../node/src/core/logger.ts'
import { createHandOver } from '../../node/src/roles/solver/servedSampler.ts'
import { type Bundles, openBundles } from '../../node/src/store/bundles.ts'
import { DiskFullError, isDiskFull } from '../../node/src/store/diskSpace.ts'
import { Supervisor } from '../swarm/processes/supervisor.ts'
import { openSmallDisk, type SmallDisk } from './smallDisk.ts'

const PAGE_BYTES = 4096
const DISK_BYTES = 2 ** 18
const owner = { peerKey: `0x${'22'.repeat(32)}`, kind: 'policy' } as const

let supervisor: Supervisor
let disk: SmallDisk | null
beforeEach(async () => {
  const data = mkdtempSync(join(tmpdir(), 'waggle-fills-'))
  mkdirSync(join(data, 'peer'))
  supervisor = new Supervisor(join(data, 'logs'), join(data, 'processes.json'))
  disk = await openSmallDisk(supervisor, join(data, 'peer'), DISK_BYTES)
  // A machine may only lack one where it cannot have one.
  if (disk === null) expect(spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status).not.toBe(0)
})
afterEach(() => supervisor.stopAll(['']))

type Trained = ReturnType<typeof tinyWeights>
/** Each time others. */
function changed(trained: Trained, by: number): Trained {
  for (const { data } of trained.values()) data[0] = by
  return trained
}
const stateOf = (trained: Trained, steps: number) => ({
  steps,
  tensors: new Map([...trained].flatMap(([name, { data }]) => ['m', 'v'].map(kind => [`${kind}.${name}`, data]))),
})

async function filesIn(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter(name => name !== 'ballast').sort()
  return new Map(
    await Promise.all(names.map(async name => [name, contentId(await readFile(join(folder, name)))] as const)),
  )
}

/** Writes with no page free, then with one, and so on until it fits. A write that does not leaves all files as they were. @returns how many did not. */
async function untilItFits(on: SmallDisk, folder: string, write: () => Promise<unknown>): Promise<number> {
  const before = await filesIn(folder)
  for (let pages = 0; ; pages++) {
    await on.fill(pages * PAGE_BYTES)
    const failure = await write().then(
      () => null,
      error => error,
    )
    if (failure === null) return pages
    expect(isDiskFull(failure), String(failure)).toBe(true)
    expect(await filesIn(folder)).toEqual(before)
    await on.empty()
  }
}

test('a checkpoint that finds too little space leaves the last one and its state, and takes no space', async () => {
  if (disk === null) return
  const { path } = disk
  const weights = tinyWeights()
  const save = (steps: number) => saveCheckpoint(path, tinyConfig, changed(weights, steps), stateOf(weights, steps))
  const kept = await save(1)
  const failed = await untilItFits(disk, path, async () => {
    expect(hashWeights(await readWeights(path, tinyConfig))).toBe(kept)
    expect((await readOptimizerState(path, kept))?.steps).toBe(1)
    await save(2)
  })
  expect(failed).toBeGreaterThan(10)
  expect((await readOptimizerState(path, hashWeights(weights)))?.steps).toBe(2)
})

test('so does an adapter', async () => {
  if (disk === null) return
  const { path } = disk
  const adapter = initLora(tinyConfig, { rank: 8, alpha: 4, targets: ['v_proj'], rankStabilized: true }, 'saved')
  const save = (steps: number) =>
    saveAdapterCheckpoint(path, adapter, stateOf(changed(adapter.factors as Trained, steps), steps), 'base')
  const kept = await save(1)
  await untilItFits(disk, path, async () => {
    expect(hashWeights((await readLora(path, tinyConfig)).factors)).toBe(kept)
    expect((await readOptimizerState(path, kept))?.steps).toBe(1)
    await save(2)
  })
  expect(hashWeights((await readLora(path, tinyConfig)).factors)).toBe(hashWeights(adapter.factors))
})

test('so does the payload of a policy, and one that was not written is nowhere after a restart either', async () => {
  if (disk === null) return
  const { path } = disk
  // As under a quota of the system, which a disk's free space does not tell.
  const open = () => openBundles(path, { logger: silentLogger, readFree: async () => Number.POSITIVE_INFINITY })
  const bundles = await open()
  const [other, policy] = [await bundles.put(Uint8Array.of(1), 7), new Uint8Array(6 * PAGE_BYTES).fill(3)]
  for (const write of [() => bundles.put(policy, 7), () => keptBy(bundles)]) {
    const failed = await untilItFits(disk, join(path, '7'), async () => {
      expect([bundles.has(contentId(policy)), (await open()).has(contentId(policy))]).toEqual([false, false])
      await write()
    })
    expect(failed).toBe(6)
    expect(await (await open()).get(contentId(policy))).toEqual(policy)
    expect(await bundles.get(other)).toEqual(Uint8Array.of(1))
    await bundles.forget(contentId(policy), null)
  }

  async function keptBy({ keep }: Bundles) {
    const refused = await keep(policy, 7, owner)
    if (refused === 'no disk space') throw new DiskFullError(path)
    expect(refused).toBeNull()
  }
})

test('an adapter that the disk of a server has no space for is handed over once it has, and fails no round', async () => {
  if (disk === null) return
  const { path } = disk
  const policyFolder = mkdtempSync(join(tmpdir(), 'waggle-policy-'))
  const adapter = initLora(tinyConfig, { rank: 8, alpha: 4, targets: ['v_proj'], rankStabilized: true }, 'saved')
  await saveAdapterCheckpoint(policyFolder, adapter, stateOf(adapter.factors as Trained, 1), 'base')
  const [loaded, lines]: [string[], string[]] = [[], []]
  const server = {
    models: async () => loaded,
    loadAdapter: async (name: string) => void loaded.push(name),
    unloadAdapter: async () => {},
  }
  const { now } = createHandOver({
    ...{ server, policyFolder, sharedFolder: path, peerKey: owner.peerKey },
    policy: { weightsHash: async () => `0x${'33'.repeat(32)}` as PolicyHash },
    logger: { info: () => {}, warn: (line: string) => lines.push(line) },
  })
  const { signal } = new AbortController()
  await disk.fill(PAGE_BYTES)
  expect(await now(signal)).toEqual({ adapter: null, isCurrent: false })
  expect([[...(await filesIn(path)).keys()], loaded, lines.length]).toEqual([[], [], 1])
  await disk.empty()
  expect(await now(signal)).toMatchObject({ isCurrent: true })
  expect(lines).toHaveLength(1)
})
