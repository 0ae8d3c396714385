import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { contentId } from '#core/contentId.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { BundleTooLargeError, openBundles } from './bundles.ts'
import { DiskFullError } from './diskSpace.ts'
import { readKeptBundle } from './readKeptBundle.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'waggle-bundles-'))
const options = { logger: silentLogger }
const bytes = (text: string) => new TextEncoder().encode(text)

test('a stored bundle is read by its content id, also after a restart', async () => {
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

test('a stored bundle is read in parts, also while its round is pruned; a damaged one is not', async () => {
  const at = folder()
  const bundles = await openBundles(at, options)
  const id = await bundles.put(bytes('hello'), 3)
  const open = await bundles.open(id)
  expect(open?.bytes).toBe(5)
  await bundles.pruneBefore(4)
  expect(await open?.read(1, 4)).toEqual(bytes('ell'))
  await expect(open?.read(3, 9)).rejects.toThrow('2 of 6 bytes')
  await open?.close()
  expect(await bundles.open(id)).toBeNull()

  await bundles.put(bytes('hello'), 5)
  for (const damaged of ['hellx', 'hell']) {
    writeFileSync(join(at, '5', id.slice(2)), damaged)
    expect(await bundles.open(id)).toBeNull()
    expect(bundles.has(id)).toBe(false)
    await bundles.put(bytes('hello'), 5)
  }
})

test('nothing is forgotten that is asked for while the folder is away', async () => {
  const at = folder()
  const bundles = await openBundles(at, options)
  const id = await bundles.put(bytes('hello'), 3)
  renameSync(at, `${at}.away`)
  const asked = [bundles.get(id), bundles.open(id), bundles.put(bytes('hello'), 4)]
  for (const one of await Promise.allSettled(asked))
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'ENOENT' } })
  expect(existsSync(at), 'the folder is not made elsewhere').toBe(false)
  renameSync(`${at}.away`, at)
  expect(await bundles.get(id)).toEqual(bytes('hello'))
  expect(readdirSync(join(at, '3'))).toEqual([id.slice(2)])
})

test('a payload that cannot be read once is neither forgotten nor deleted', async () => {
  const bundles = await openBundles(folder(), options)
  const id = await bundles.put(bytes('hello'), 3)
  const [read, close] = [vi.fn(async () => Promise.reject(new Error('EIO: i/o error, read'))), vi.fn(async () => {})]
  const spy = vi.spyOn(fs.promises, 'open').mockResolvedValueOnce({ read, close } as unknown as FileHandle)
  syncBuiltinESMExports()
  try {
    await expect(bundles.open(id)).rejects.toThrow('EIO')
  } finally {
    spy.mockRestore()
    syncBuiltinESMExports()
  }
  expect(close).toHaveBeenCalledOnce()
  const again = await bundles.open(id)
  expect(await again?.read(0, 5)).toEqual(bytes('hello'))
  await again?.close()
})

test('a payload of another peer that the disk cannot read twice is forgotten, one of our own never, and a copy is read instead', async () => {
  const bundles = await openBundles(folder(), options)
  const owner = (at: string) => ({ kind: 'rollouts', peerKey: `0x${at.repeat(64)}` }) as const
  const own = await bundles.put(bytes('own'), 3)
  const [others, both] = [contentId(bytes('others')), contentId(bytes('both'))]
  await bundles.keep(bytes('others'), 3, owner('c'))
  for (const peer of ['a', 'b']) await bundles.keep(bytes('both'), 3, owner(peer))
  const fault = (code: string) => Object.assign(new Error(code), { code })
  const spy = vi.spyOn(fs.promises, 'open')
  const failing = async (id: Hex, code: string) => {
    spy.mockRejectedValueOnce(fault(code))
    syncBuiltinESMExports()
    return bundles.open(id)
  }
  // Two copies of one owner, of which the older one is gone.
  const at = folder()
  const twice = await openBundles(at, options)
  for (const round of [3, 4]) await twice.keep(bytes('twice'), round, owner('c'))
  rmSync(join(at, '3'), { recursive: true })
  try {
    spy.mockRejectedValueOnce(fault('EMFILE'))
    syncBuiltinESMExports()
    await expect(twice.open(contentId(bytes('twice')))).rejects.toThrow('EMFILE')
    for (const code of ['EIO', 'EIO', 'EIO']) await expect(failing(own, code)).rejects.toThrow(code)
    const copy = await failing(both, 'EIO')
    expect(await copy?.read(0, 4)).toEqual(bytes('both'))
    await copy?.close()
    // Too many open files say nothing about this one.
    for (const code of ['EMFILE', 'EMFILE', 'EIO']) await expect(failing(others, code)).rejects.toThrow(code)
    expect(bundles.has(others)).toBe(true)
    expect(await failing(others, 'EIO')).toBeNull()
  } finally {
    spy.mockRestore()
    syncBuiltinESMExports()
  }
  expect([own, others, both].map(bundles.has)).toEqual([true, false, true])
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

test('a payload of our own that is put round after round is one file, with the latest of them', async () => {
  const at = folder()
  const bundles = await openBundles(at, options)
  const id = await bundles.put(bytes('policy'), 1)
  await Promise.all([2, 4, 3].map(round => bundles.put(bytes('policy'), round)))
  const files = () => readdirSync(at, { recursive: true, withFileTypes: true }).filter(one => one.isFile())
  expect(files().map(({ parentPath }) => parentPath)).toEqual([join(at, '4')])
  expect(await bundles.get(id)).toEqual(bytes('policy'))
  // Somebody removed the file: it is written again.
  rmSync(join(at, '4'), { recursive: true })
  await bundles.put(bytes('policy'), 5)
  expect(await bundles.get(id)).toEqual(bytes('policy'))
  expect(files()).toHaveLength(1)
})

test.each(['mkdirSync', 'rename'] as const)(
  'a payload of our own that cannot be moved for lack of space (%s) stays, and moves once there is some',
  async failing => {
    const at = folder()
    const bundles = await openBundles(at, options)
    const id = await bundles.put(bytes('policy'), 1)
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const spy =
      failing === 'rename'
        ? vi.spyOn(fs.promises, failing).mockRejectedValueOnce(full)
        : vi.spyOn(fs, failing).mockImplementationOnce(() => {
            throw full
          })
    syncBuiltinESMExports()
    try {
      await expect(bundles.put(bytes('policy'), 2)).rejects.toThrow(DiskFullError)
    } finally {
      spy.mockRestore()
      syncBuiltinESMExports()
    }
    expect(await bundles.get(id)).toEqual(bytes('policy'))
    await bundles.put(bytes('policy'), 2)
    await bundles.pruneBefore(2)
    expect(await bundles.get(id)).toEqual(bytes('policy'))
  },
)

test('a payload whose round is pruned while it is written ends without an error, and leaves nothing', async () => {
  const at = folder()
  const bundles = await openBundles(at, {
    ...options,
    async writeFile(path, content) {
      await bundles.pruneBefore(9)
      await writeFileAtomic(path, content)
    },
  })
  const owner = { peerKey: `0x${'a'.repeat(64)}` as Hex, kind: 'rollouts' }
  const id = await bundles.put(bytes('own'), 3)
  expect(await bundles.keep(bytes('of another'), 4, owner)).toBeNull()
  expect([await bundles.get(id), bundles.has(id), readdirSync(at)]).toEqual([null, false, []])
})

test('a payload whose folder is removed while it is written is written again', async () => {
  let removed = 0
  const bundles = await openBundles(folder(), {
    ...options,
    async writeFile(path, content) {
      if (removed++ === 0) rmSync(dirname(path), { recursive: true })
      await writeFileAtomic(path, content)
    },
  })
  expect(await bundles.get(await bundles.put(bytes('wanted'), 3))).toEqual(bytes('wanted'))
})

test('a payload over the limit is refused', async () => {
  const bundles = await openBundles(folder(), { ...options, maxBytes: 4 })
  await expect(bundles.put(bytes('hello'), 1)).rejects.toThrow(BundleTooLargeError)
})

test('the same payload put twice at once is kept once', async () => {
  const bundles = await openBundles(folder(), options)
  const [a, b] = await Promise.all([bundles.put(bytes('x'), 1), bundles.put(bytes('x'), 1)])
  expect(a).toBe(b)
  expect(await bundles.get(a)).toEqual(bytes('x'))
})

describe('payloads of other peers', () => {
  const owner = (digit: string, kind = 'rollouts') => ({ peerKey: `0x${digit.repeat(64)}` as Hex, kind })
  const quotas = { totalBytes: 8000, peerBytes: 400, kindShares: { canary: 1 / 4 } }
  const payload = (fill: string, size: number) => bytes(fill.repeat(size))
  const open = (at: string, more = {}) => openBundles(at, { ...options, quotas, ...more })

  test('evict their own oldest ones, and never those of others or of a later round', async () => {
    const bundles = await open(folder())
    await bundles.keep(payload('h', 300), 1, owner('b'))
    for (const [fill, round] of [
      ['1', 1],
      ['3', 3],
      ['2', 2],
    ] as const)
      expect(await bundles.keep(payload(fill, 150), round, owner('a'))).toBeNull()
    expect(bundles.has(contentId(payload('1', 150)))).toBe(false)
    for (const kept of [payload('2', 150), payload('3', 150), payload('h', 300)])
      expect(await bundles.get(contentId(kept))).toEqual(kept)
    expect(await bundles.keep(payload('0', 300), 2, owner('a'))).toBe('over quota')
    expect(bundles.wouldKeep(300, 2, owner('a'))).toBe(false)
    expect(bundles.has(contentId(payload('2', 150)))).toBe(true)
  })

  test('are one a peer, kind and round', async () => {
    const bundles = await open(folder())
    await bundles.keep(payload('x', 10), 1, owner('a'))
    await bundles.keep(payload('y', 10), 1, owner('a'))
    expect([payload('x', 10), payload('y', 10)].map(one => bundles.has(contentId(one)))).toEqual([false, true])
  })

  test('are limited by kind', async () => {
    const bundles = await open(folder())
    expect(await bundles.keep(payload('x', 101), 1, owner('a', 'canary'))).toBe('over quota')
    expect(await bundles.keep(payload('x', 101), 1, owner('a'))).toBeNull()
    expect(await bundles.keep(payload('x', 99), 1, owner('a', 'canary'))).toBeNull()
  })

  test('written at once are within the quota together', async () => {
    const bundles = await open(folder())
    const kept = await Promise.all(
      Array.from({ length: 40 }, (_, i) => bundles.keep(bytes(String(i).padEnd(100)), i, owner('a'))),
    )
    expect(kept.filter(refused => refused === null).length).toBeGreaterThan(3)
    const held = await Promise.all(
      Array.from({ length: 40 }, (_, i) => bundles.get(contentId(bytes(String(i).padEnd(100))))),
    )
    expect(held.filter(one => one !== null)).toHaveLength(4)
  })

  test('of the same bytes are charged to each owner, and go with each alone', async () => {
    const at = folder()
    const bundles = await open(at)
    for (const each of ['a', 'b']) await bundles.keep(payload('s', 300), 1, owner(each))
    await bundles.keep(payload('t', 300), 2, owner('a'))
    expect(readdirSync(join(at, '1'))).toHaveLength(1)
    expect(await bundles.get(contentId(payload('s', 300)))).toEqual(payload('s', 300))
  })

  test('that a later round needs too are found for the earlier one in the folder', async () => {
    const data = folder()
    const bundles = await open(join(data, 'bundles'))
    const id = contentId(payload('p', 30))
    await bundles.keep(payload('p', 30), 2, owner('a', 'policy'))
    for (const round of [3, 10]) {
      await bundles.renew(id, round, owner('a', 'policy'))
      expect(await readKeptBundle(data, 2, id)).toEqual(payload('p', 30))
    }
    expect(await readKeptBundle(data, 11, id)).toBeNull()
    expect(await readKeptBundle(data, 2, contentId(payload('q', 30)))).toBeNull()
  })

  test('count after a restart, and what lower quotas no longer hold is removed: the oldest of who has most', async () => {
    const data = folder()
    const at = join(data, 'bundles')
    const bundles = await open(at)
    const own = await bundles.put(payload('o', 50), 0)
    for (const round of [1, 2, 3]) await bundles.keep(bytes(`a${round}`.padEnd(100)), round, owner('a'))
    await bundles.keep(payload('b', 30), 1, owner('b'))
    const again = await open(at)
    expect(again.wouldKeep(101, 0, owner('a'))).toBe(false)
    expect(await readKeptBundle(data, 1, contentId(payload('b', 30)))).toEqual(payload('b', 30))
    const lower = await open(at, { quotas: { ...quotas, totalBytes: 200 } })
    const left = [1, 2, 3].map(round => lower.has(contentId(bytes(`a${round}`.padEnd(100)))))
    expect(left).toEqual([false, false, true])
    expect([own, contentId(payload('b', 30))].map(lower.has)).toEqual([true, true])
  })

  test('are not kept on a disk that is nearly full; our own end in an error that waiting may mend', async () => {
    const at = folder()
    const bundles = await open(at, { readFree: async () => 1_000_000 })
    expect(await bundles.keep(payload('x', 10), 1, owner('a'))).toBe('no disk space')
    expect(bundles.has(contentId(payload('x', 10)))).toBe(false)
    const error = await bundles.put(payload('x', 10), 1).catch(thrown => thrown)
    expect(error).toBeInstanceOf(DiskFullError)
    expect(error.retryable).toBe(true)
  })

  test('that a full disk refuses remove none of their author, which may be needed', async () => {
    let free = 2 ** 40
    const bundles = await open(folder(), { readFree: async () => free })
    await bundles.needFrom(1)
    const rounds = [1, 2, 3, 4, 5]
    const kept = (round: number) => bundles.keep(payload(String(round), 100), round, owner('a'))
    for (const round of rounds.slice(0, 4)) await kept(round)
    free = 64 * 2 ** 20
    expect(await kept(5)).toBe('no disk space')
    const held = rounds.filter(round => bundles.has(contentId(payload(String(round), 100))))
    expect([held, await bundles.needFrom(1)]).toEqual([[1, 2, 3, 4], 0])
  })
})
