import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentId } from '#core/contentId.ts'
import { silentLogger } from '#core/logger.ts'
import { BundleTooLargeError, openBundles } from './bundles.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'waggle-bundles-'))
const options = { logger: silentLogger }
const bytes = (text: string) => new TextEncoder().encode(text)

test('what was put is got by its content id, also after a restart', async () => {
  const at = folder()
  const bundles = await openBundles(at, options)
  const id = await bundles.put(bytes('hello'), 3)
  expect(id).toBe(contentId(bytes('hello')))
  for (const each of [bundles, await openBundles(at, options)]) {
    expect(each.has(id)).toBe(true)
    expect(await each.get(id)).toEqual(bytes('hello'))
  }
  expect(await bundles.get(contentId(bytes('other')))).toBeNull()
})

test('a damaged file is never served and can be put again', async () => {
  const at = folder()
  const bundles = await openBundles(at, options)
  const id = await bundles.put(bytes('hello'), 3)
  writeFileSync(join(at, '3', id.slice(2)), 'hellx')
  expect(await bundles.get(id)).toBeNull()
  expect(bundles.has(id)).toBe(false)
  await bundles.put(bytes('hello'), 3)
  expect(await bundles.get(id)).toEqual(bytes('hello'))
})

test('half-written files of a killed node are removed', async () => {
  const at = folder()
  mkdirSync(join(at, '3'))
  const partial = join(at, '3', `${'ab'.repeat(32)}.1234`)
  writeFileSync(partial, 'half')
  await openBundles(at, options)
  expect(existsSync(partial)).toBe(false)
})

test('pruning removes older rounds, and keeps what a newer round needs too', async () => {
  const bundles = await openBundles(folder(), options)
  const old = await bundles.put(bytes('old'), 1)
  const both = await bundles.put(bytes('both'), 1)
  await bundles.put(bytes('both'), 5)
  await bundles.put(bytes('both'), 2)
  await bundles.pruneBefore(5)
  expect(await bundles.get(old)).toBeNull()
  expect(await bundles.get(both)).toEqual(bytes('both'))
})

test('a body over the limit is refused', async () => {
  const bundles = await openBundles(folder(), { ...options, maxBytes: 4 })
  await expect(bundles.put(bytes('hello'), 1)).rejects.toThrow(BundleTooLargeError)
})

test('the same body put twice at once is kept once', async () => {
  const bundles = await openBundles(folder(), options)
  const [a, b] = await Promise.all([bundles.put(bytes('x'), 1), bundles.put(bytes('x'), 1)])
  expect(a).toBe(b)
  expect(await bundles.get(a)).toEqual(bytes('x'))
})
