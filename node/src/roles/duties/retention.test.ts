import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { openBundles } from '#store/bundles.ts'
import { defaultQuotas } from '#store/payloadQuota.ts'
import { createConfirmed, keepHouse, neededQuotas, neededRounds } from './retention.ts'

test('a round that lies far ahead deletes nothing until others follow it', () => {
  const confirmed = createConfirmed()
  expect([500, 501, 502, 503].map(confirmed)).toEqual([null, null, 500, 501])
  expect([90_000, 504, 505, 506].map(confirmed)).toEqual([502, 503, 504, 504])
  expect([90_000, 90_001, 90_002].map(confirmed)).toEqual([505, 506, 90_000])
  expect([7, 7, 7, 8, 9].map(createConfirmed()), 'one that is taken up again').toEqual([null, null, null, null, 7])
})

const MIB = 2 ** 20
const owner = (digit: string, kind = 'rollouts') => ({ peerKey: `0x${digit.repeat(64)}` as Hex, kind })

/** A store of 1,000 bytes, of which a peer has 400, and what is logged when its house is kept. */
async function scene() {
  const quotas = { totalBytes: 1_000, peerBytes: 400, kindShares: { policy: 3 / 4 } }
  const folder = mkdtempSync(join(tmpdir(), 'waggle-retention-'))
  const bundles = await openBundles(folder, { logger: silentLogger, quotas })
  const told: unknown[] = []
  const logger = { ...silentLogger, warn: (_: string, about?: object) => void told.push(about) }
  const node = { bundles, logger, environment: {}, journal: { prune: () => {} } } as never
  const payload = (name: string, size: number) => new TextEncoder().encode(name.padEnd(size))
  return {
    bundles,
    told,
    keepHouse: (round: number) => keepHouse(node, round),
    keep: (name: string, size: number, round: number, of = owner('a')) => bundles.keep(payload(name, size), round, of),
    has: (name: string, size: number) => bundles.has(contentId(payload(name, size))),
  }
}

test('rounds that nobody can challenge any more take no space from those that a jury may read', async () => {
  const { keep, has, keepHouse } = await scene()
  for (const digit of '0123456789bcdef')
    for (let round = 1; round <= 6; round++) await keep(`${digit}${round}`, 20, round, owner(digit))
  const oldest = 20 - neededRounds({})
  // The same peers go on, and one has larger payloads than they: it needs all of these rounds.
  await keepHouse(20)
  for (let round = oldest; round <= 20; round++) expect(await keep(`a${round}`, 3, round)).toBeNull()
  const large = Array.from({ length: 20 - oldest }, (_, at) => oldest + at)
  for (const round of large) await keep(`p${round}`, 3, round, owner('a', 'policy'))
  expect(large.filter(round => !has(`a${round}`, 3) || !has(`p${round}`, 3))).toEqual([])
})

test('a policy that samples in a later round is kept as long as that one', async () => {
  const { bundles, keep, has, keepHouse } = await scene()
  const policy = owner('a', 'policy')
  await keep('named once', 20, 1, policy)
  await keep('other', 20, 2, policy)
  const id = contentId(new TextEncoder().encode('named once'.padEnd(20)))
  await bundles.renew(id, 9, policy)
  await bundles.pruneBefore(9)
  expect([has('named once', 20), has('other', 20), (await bundles.get(id))?.byteLength]).toEqual([true, false, 20])
  await keepHouse(300)
  expect(has('named once', 20)).toBe(false)
})

test('payloads that a jury may ask for and that do not fit are told', async () => {
  const { keep, keepHouse, told } = await scene()
  await keepHouse(20)
  for (let round = 12; round < 20; round++) await keep(`a${round}`, 30, round)
  expect(await keep('huge', 500, 20)).toBe('over quota')
  await keepHouse(20)
  expect(told).toEqual([expect.objectContaining({ payloads: 5, rounds: neededRounds({}) })])
  await keepHouse(21)
  expect(told).toHaveLength(1)
})

test('the default quotas hold the largest payloads of a peer until the last jury has read them, and smaller ones are refused', () => {
  const largest = { rollouts: 8 * MIB, policy: 64 * MIB }
  expect(neededQuotas(defaultQuotas, {}, largest)).toBeNull()
  const tight = { ...defaultQuotas, peerBytes: 256 * MIB }
  expect(neededQuotas(tight, {}, largest)).toEqual({ rounds: 9, 'keep-peer-mb': 768, 'keep-mb': 8192 })
  const raised = { ...tight, peerBytes: 768 * MIB }
  expect(neededQuotas(raised, {}, largest)).toBeNull()
  const small = { ...raised, totalBytes: 1024 * MIB }
  expect(neededQuotas(small, {}, largest)).toMatchObject({ 'keep-mb': 6144 })
})
