import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { boundaries } from './boundaries.ts'
import { decoders } from './decoders.ts'
import { fuzz } from './fuzz.ts'

const src = join(import.meta.dirname, '../../src')
const model = join(import.meta.dirname, '../../model/src')
const fuzzed = new Set(Object.values(decoders).map(({ module }) => module))

/** Modules below a folder that make one of some calls. */
const calling = (folder: string, within: string, calls: RegExp) =>
  globSync(within, { cwd: folder })
    .filter(file => !/\.test\.ts$|\/test[A-Z]\w*\.ts$/.test(file))
    .filter(file => calls.test(readFileSync(join(folder, file), 'utf8')))

test('every module that decodes what peers send is fuzzed', () => {
  const calls =
    /\b(decodeCanonical|decodeVersioned|payloadCodec|inflateRawSync|base58btc\.decode|createPublicKey|readUInt32BE)\(/
  // Shared parts of the other decoders.
  const through = ['core/payloads/payloadCodec.ts']
  expect(calling(src, '**/*.ts', calls).filter(file => !fuzzed.has(file) && !through.includes(file))).toEqual([])
})

/** JSON of this machine: its journal, its files, its own release. */
const ownJson = [
  ...['roles/datasets/keptOutcomes.ts', 'roles/evidence/refutations.ts', 'roles/gateway/gateway.ts'],
  ...['roles/gateway/trainingView.ts', 'roles/release.ts', 'roles/reports/readAgreement.ts'],
  ...['roles/reports/readConnections.ts', 'roles/reports/twin.ts', 'roles/reports/workerRestarts.ts'],
]
/** JSON from elsewhere that a schema alone reads, within one `catch` of its own: an index, a sponsor, a game's texts. */
const checkedJson = ['roles/audit/readIndexedPoints.ts', 'roles/games/playedGame.ts', 'roles/sponsor/askSponsor.ts']

test('every module of roles and of the network that parses JSON is fuzzed, or named here', () => {
  const named = new Set([...ownJson, ...checkedJson])
  const found = calling(src, '{roles,p2p,core,chain}/**/*.ts', /\bJSON\.parse\(/).filter(file => !fuzzed.has(file))
  expect(found.sort()).toEqual([...named].sort())
})

test('training and sampling read nothing of a peer but policies, which are fuzzed', () => {
  const found = calling(model, 'rl/**/*.ts', /\bparse(SafetensorsHeader|SafetensorsMetadata)\(/)
  expect(found.filter(file => !fuzzed.has(file))).toEqual([])
})

test.each(Object.entries(decoders))('%s takes hostile input without an error', async (name, decoder) => {
  for (const seed of decoder.seeds) expect(await decoder.run(seed), 'its valid input').toBe(true)
  expect(await fuzz(name, decoder, 1_000)).toBeLessThan(1_000)
})

test.each(Object.entries(boundaries))(
  '%s: whatever an endpoint or a disk gives back is taken or refused',
  async (name, boundary) => {
    for (const seed of boundary.seeds) expect(await boundary.run(seed), 'what it should be').toBe(true)
    expect(await fuzz(name, boundary, 300)).toBeLessThan(300)
  },
)
