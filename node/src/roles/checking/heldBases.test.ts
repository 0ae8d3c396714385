import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadEnvironments } from '#environments/builtIn.ts'
import { starterFolder } from '#environments/codezero/loadStarter.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { writeModel } from '#model/writeModel.ts'
import { holdBases } from './heldBases.ts'

const solverFolder = `${starterFolder}/solver`
const { format } = (await loadEnvironments()).starter
const config = await readDecoderConfig(solverFolder)
const bytesOf = (of: DecoderConfig) => 4 * parameterCount(of)

/** A base of random weights. */
async function makeBase(of: DecoderConfig) {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-base-'))
  await writeModel(folder, of, initWeights(of, 'base'))
  return { folder, hash: await readBaseHash(folder) }
}

const own = await readBaseHash(solverFolder)
const larger = { ...config, layers: config.layers + 1 }
const other = await makeBase(larger)
const absent = `0x${'66'.repeat(32)}` as const
const here = (bases: `0x${string}`[] | null) => ({ solverFolder, format, spec: { bases } })
const plenty = 8 * bytesOf(larger)

test('the bases of a node are its model and those that it named, and it knows the listed ones that it lacks', async () => {
  const listed = [other.hash, absent, own]
  const bases = await holdBases(here(listed), { folders: [other.folder, solverFolder], residentBytes: plenty })
  expect(Object.fromEntries(bases.folders)).toEqual({ [own]: solverFolder, [other.hash]: other.folder })
  expect(bases).toMatchObject({ lacking: [absent], fitTogether: true, residentBytes: plenty })
  expect((await holdBases(here([own]))).lacking).toEqual([])
  expect([...(await holdBases(here(null))).folders.keys()]).toEqual([own])
})

test('bases that do not fit together are held, one that does not fit alone is refused, and the own model is always held', async () => {
  const asked = { folders: [other.folder] }
  const both = here([own, other.hash])
  const tight = await holdBases(both, { ...asked, residentBytes: bytesOf(larger) })
  expect(tight).toMatchObject({ fitTogether: false, residentBytes: bytesOf(larger) })
  expect(tight.folders.size).toBe(2)
  await expect(holdBases(both, { ...asked, residentBytes: bytesOf(larger) - 1 })).rejects.toMatchObject({
    code: 'ENVIRONMENT_MISMATCH',
    hint: expect.stringContaining('--bases-mb'),
  })
  expect(await holdBases(both, { residentBytes: 1 })).toMatchObject({
    residentBytes: bytesOf(config),
    fitTogether: true,
  })
})

test('a node that could check nobody does not start, and neither does one with a base that is not listed or has another vocabulary', async () => {
  const refused = { code: 'ENVIRONMENT_MISMATCH' }
  await expect(holdBases(here([absent]))).rejects.toMatchObject(refused)
  const asked = { folders: [other.folder], residentBytes: plenty }
  await expect(holdBases(here([own]), asked)).rejects.toMatchObject({
    ...refused,
    hint: expect.stringMatching(/--base/),
  })
  // Its model solves nothing here, and the other base can be checked.
  expect([...(await holdBases(here([other.hash]), asked)).folders.keys()]).toEqual([other.hash])
  const short = await makeBase({ ...config, vocabSize: 16 })
  const named = { folders: [short.folder], residentBytes: plenty }
  await expect(holdBases(here([own, short.hash]), named)).rejects.toThrow(/vocab|token/)
})
