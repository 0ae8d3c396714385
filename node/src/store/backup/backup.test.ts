import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { openBundles } from '../bundles.ts'
import { openIdentity } from '../identity.ts'
import { createJournal } from '../journal.ts'
import { lockDataFolder } from '../lockDataFolder.ts'
import { openDatabase } from '../openDatabase.ts'
import { backupDataFolder } from './backup.ts'
import { folderEntries } from './folderEntries.ts'
import { BackupError } from './journalCopy.ts'
import { openBackup } from './openBackup.ts'
import { openPartialFolder } from './partialFolder.ts'
import { encryptWithPassphrase, PassphraseFileError } from './passphraseFile.ts'
import { type ArchiveEntry, ArchiveError, packArchive } from './tarArchive.ts'

const PASSPHRASE = 'quiet amber otter drums at noon'
/** Cost of scrypt: a test need not be slow to guess. */
const COST = 4
const newRoot = () => mkdtempSync(join(tmpdir(), 'waggle-backup-'))
const backUp = (from: string, to: string) =>
  backupDataFolder(from, to, PASSPHRASE, { models: join(from, 'cache', 'models'), cost: COST })
const restore = async (backup: string, dataDir: string, passphrase = PASSPHRASE) =>
  (await openBackup(backup, dataDir)).restore(passphrase)

test('a running node is backed up and restored with keys and journal, with own payloads of the last rounds, without others, downloaded models and lock', async () => {
  const root = newRoot()
  const [dataDir, target, restored] = [join(root, 'data'), join(root, 'copy.age'), join(root, 'restored')]
  const identity = await openIdentity(dataDir)
  const lock = lockDataFolder(dataDir)
  const db = openDatabase(join(dataDir, 'journal.sqlite'))
  const journal = createJournal(db, systemClock)
  journal.set(1, 'key', 'value')
  journal.setState('round', 10)
  const bundles = await openBundles(join(dataDir, 'bundles'), { logger: silentLogger })
  const [old, own] = [await bundles.put(new Uint8Array(9), 1), await bundles.put(new Uint8Array(8), 10)]
  // As a false clock leaves it.
  const ahead = await bundles.put(new Uint8Array(6), 90_000)
  await bundles.keep(new Uint8Array(7), 10, { kind: 'scores', peerKey: `0x${'a'.repeat(64)}` as const })
  const weights = Buffer.alloc(200_000, 'weights')
  mkdirSync(join(dataDir, 'policy', 'x'.repeat(70), 'y'.repeat(70)), { recursive: true })
  writeFileSync(join(dataDir, 'policy', 'x'.repeat(70), 'y'.repeat(70), 'model.safetensors'), weights)
  writeFileSync(join(dataDir, 'policy', 'model.safetensors.7.tmp'), 'half')
  mkdirSync(join(dataDir, 'cache', 'models', 'bees--tiny'), { recursive: true })
  mkdirSync(join(dataDir, 'models'))
  writeFileSync(join(dataDir, 'models', 'own'), 'a model that was not downloaded')
  // As a backup leaves it that was killed.
  const left = join(dataDir, `.backup.${randomUUID()}.partial`)
  mkdirSync(left, { mode: 0o700 })
  writeFileSync(join(left, 'journal.sqlite'), 'a copy')
  utimesSync(left, 0, 0)

  await backUp(dataDir, target)
  expect(readdirSync(root).sort()).toEqual(['copy.age', 'data'])
  expect(readdirSync(dataDir).some(name => name.endsWith('.partial'))).toBe(false)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  const sealed = readFileSync(target)
  for (const secret of [identity.accountKey.slice(2), 'journal.sqlite', 'weights'])
    expect(sealed.includes(secret)).toBe(false)
  db.close()
  lock.release()
  await restore(target, restored)

  const again = await openIdentity(restored)
  expect(again.peerId).toBe(identity.peerId)
  expect(again.accountKey).toBe(identity.accountKey)
  expect(statSync(join(restored, 'peer.key')).mode & 0o777).toBe(0o600)
  expect(createJournal(openDatabase(join(restored, 'journal.sqlite')), systemClock).get(1, 'key')).toBe('value')
  expect(readFileSync(join(restored, 'policy', 'x'.repeat(70), 'y'.repeat(70), 'model.safetensors'))).toEqual(weights)
  const payloads = await openBundles(join(restored, 'bundles'), { logger: silentLogger })
  expect([payloads.has(old), await payloads.get(own)]).toEqual([false, new Uint8Array(8)])
  const [kept, far] = [`10/${own.slice(2)}`, `90000/${ahead.slice(2)}`]
  expect(readdirSync(join(restored, 'bundles'), { recursive: true }).sort()).toEqual(['10', kept, '90000', far])
  for (const name of ['node.lock', 'node.pid', 'policy/model.safetensors.7.tmp', 'cache/models'])
    expect(existsSync(join(restored, name))).toBe(false)
  expect(existsSync(join(restored, 'models', 'own'))).toBe(true)
})

test('a backup overwrites nothing, and neither does a restore', async () => {
  const root = newRoot()
  const [dataDir, copy] = [join(root, 'data'), join(root, 'copy')]
  await openIdentity(dataDir)
  await expect(backUp(dataDir, join(dataDir, 'copy'))).rejects.toThrow(BackupError)
  symlinkSync(dataDir, join(root, 'linked'))
  for (const inside of [join(dataDir, '..copy'), join(root, 'linked', 'new', 'copy')])
    await expect(backUp(dataDir, inside)).rejects.toThrow(/is inside/)
  await expect(backUp(join(root, 'none'), copy)).rejects.toThrow(BackupError)
  await backUp(dataDir, copy)
  await expect(backUp(dataDir, copy)).rejects.toThrow(/already exists/)
  await expect(restore(copy, dataDir)).rejects.toThrow(/not empty/)
  await expect(restore(join(root, 'none'), join(root, 'new'))).rejects.toThrow(/does not exist/)
  await expect(restore(dataDir, join(root, 'new'))).rejects.toThrow(/not a file/)
  await expect(restore(copy, copy)).rejects.toThrow(/is not a folder/)
  symlinkSync('nowhere', join(root, 'link'))
  await expect(restore(copy, join(root, 'link'))).rejects.toThrow(/is not a folder, but a symbolic link/)
})

test('a restore removes what a killed restore to the same folder left, and nothing of one that runs', async () => {
  const root = newRoot()
  const [dataDir, copy, target] = [join(root, 'data'), join(root, 'copy'), join(root, 'new')]
  await openIdentity(dataDir)
  await backUp(dataDir, copy)
  const left = join(root, `.new.${randomUUID()}.partial`)
  mkdirSync(left, { mode: 0o700 })
  writeFileSync(join(left, 'peer.key'), 'secret')
  const running = await openPartialFolder(root, '.new')
  const anHourAgo = Date.now() / 1_000 - 3_600
  for (const folder of [left, running.folder]) utimesSync(folder, anHourAgo, anHourAgo)
  await restore(copy, target)
  expect(readdirSync(root).sort()).toEqual([basename(running.folder), 'copy', 'data', 'new'].sort())
  await running.remove()
})

test('a restore into a folder that exists happens inside of it: it may be a mount, and its parent not writable', async () => {
  const root = newRoot()
  const [dataDir, copy, mount] = [join(root, 'data'), join(root, 'copy'), join(root, 'mount')]
  const { peerId } = await openIdentity(dataDir)
  await backUp(dataDir, copy)
  mkdirSync(mount)
  mkdirSync(join(mount, 'lost+found'))
  // A peer's own, which `rm -r DIR/*` leaves.
  writeFileSync(join(mount, '.gitignore'), '*\n')
  // As a restore leaves it that was killed.
  const left = join(mount, `.restore.${randomUUID()}.partial`)
  mkdirSync(left, { mode: 0o700 })
  writeFileSync(join(left, 'peer.key'), 'secret')
  utimesSync(left, 0, 0)
  const { ino } = statSync(mount)
  utimesSync(root, 0, 0)
  await restore(copy, mount)
  expect(statSync(mount).ino).toBe(ino)
  expect(statSync(root).mtimeMs, 'nothing was made in its parent').toBe(0)
  expect(readdirSync(mount).sort()).toEqual([...readdirSync(dataDir), 'lost+found'].sort())
  expect((await openIdentity(mount)).peerId).toBe(peerId)
})

test('a folder that exists is closed to other users, and one that a failed restore left half full makes no new peer', async () => {
  const root = newRoot()
  const [dataDir, copy, mount] = [join(root, 'data'), join(root, 'copy'), join(root, 'mount')]
  await openIdentity(dataDir)
  openDatabase(join(dataDir, 'journal.sqlite')).close()
  await backUp(dataDir, copy)
  mkdirSync(mount, { mode: 0o755 })
  const moved: string[] = []
  const { rename } = promises
  const stub = vi.spyOn(promises, 'rename').mockImplementation(async (from, to) => {
    moved.push(basename(String(to)))
    if (String(to) === join(mount, 'account.key')) throw new Error('the disk is gone')
    return rename(from, to)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    stub.mockRestore()
    syncBuiltinESMExports()
  })
  await expect(restore(copy, mount)).rejects.toThrow('the disk is gone')
  expect([moved[0], moved.at(-1)]).toEqual(['journal.sqlite', 'account.key'])
  expect(statSync(mount).mode & 0o777).toBe(0o700)
  expect(existsSync(join(mount, 'peer.key'))).toBe(false)
  await expect(openIdentity(mount)).rejects.toThrow(/has already run/)
  await expect(restore(copy, mount)).rejects.toMatchObject({ hint: expect.stringContaining('empty this one') })
})

test('a backup leaves out models by whatever path they are named, and what belongs to a disk', async () => {
  const root = newRoot()
  const [dataDir, linked] = [join(root, 'data'), join(root, 'linked')]
  await openIdentity(dataDir)
  for (const name of ['cache', 'lost+found']) mkdirSync(join(dataDir, name))
  symlinkSync(dataDir, linked)
  const copy = join(root, 'copy')
  await backupDataFolder(linked, copy, PASSPHRASE, { models: join(dataDir, 'cache'), cost: COST })
  await restore(copy, join(root, 'new'))
  expect(readdirSync(join(root, 'new'))).not.toContain('cache')
  expect(readdirSync(join(root, 'new'))).not.toContain('lost+found')
})

test('a peer that was made in the folder during the restore stays', async () => {
  const root = newRoot()
  const [dataDir, copy, target] = [join(root, 'data'), join(root, 'copy'), join(root, 'new')]
  await openIdentity(dataDir)
  await backUp(dataDir, copy)
  mkdirSync(target)
  const opened = await openBackup(copy, target)
  const { peerId } = await openIdentity(target)
  await expect(opened.restore(PASSPHRASE)).rejects.toThrow(/is not empty/)
  expect((await openIdentity(target)).peerId).toBe(peerId)
  expect(readdirSync(target).filter(name => name.endsWith('.partial'))).toEqual([])
})

describe('a failed restore leaves nothing behind', () => {
  /** Tries a file that was changed or made for it. */
  async function refusal(bytes: Uint8Array, passphrase = PASSPHRASE): Promise<unknown> {
    const root = newRoot()
    writeFileSync(join(root, 'copy'), bytes)
    const error = await restore(join(root, 'copy'), join(root, 'new'), passphrase).catch(error => error)
    expect(readdirSync(root)).toEqual(['copy'])
    return error
  }

  async function backedUp(): Promise<Buffer> {
    const root = newRoot()
    await openIdentity(join(root, 'data'))
    writeFileSync(join(root, 'data', 'large'), Buffer.alloc(150_000, 7))
    await backUp(join(root, 'data'), join(root, 'copy'))
    return readFileSync(join(root, 'copy'))
  }

  test('with another passphrase, of another file, or of one that is damaged or cut short anywhere', async () => {
    const whole = await backedUp()
    const says = async (bytes: Uint8Array, message: RegExp, passphrase?: string) => {
      const error = await refusal(bytes, passphrase)
      expect(error).toBeInstanceOf(PassphraseFileError)
      expect((error as Error).message).toMatch(message)
      expect((error as Error).message).toMatch(/copy: The/)
    }
    await says(whole, /passphrase does not/, 'quiet amber otter drums at one')
    await says(Buffer.from('keys'), /not one that was encrypted/)
    await says(Buffer.alloc(0), /not one that was encrypted/)
    await says(Buffer.from(whole.toString('latin1').replace(/ 4\n/, ' 30\n'), 'latin1'), /2\^30 rounds/)
    await says(Buffer.from(whole.toString('latin1').replace(/ 4\n/, ' 3\n'), 'latin1'), /passphrase does not/)
    const header = whole.indexOf('\n--- ') + 49
    const chunk = 65_536 + 16
    for (const length of [header, header + 16, header + 20, header + 16 + chunk, whole.length - 1])
      await says(whole.subarray(0, length), /damaged or truncated/)
    await says(Buffer.concat([whole, Buffer.alloc(1)]), /damaged/)
    for (const at of [header - 3, header + 3, header + 16 + chunk + 9, whole.length - 1]) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] as number) ^ 1
      await says(changed, /damaged|not one that was/)
    }
    const [first, second] = [header + 16, header + 16 + chunk]
    const swapped = [whole.subarray(0, first), whole.subarray(second, second + chunk), whole.subarray(first, second)]
    await says(Buffer.concat([...swapped, whole.subarray(second + chunk)]), /damaged/)
  })

  test('of an archive that reaches outside of its folder, or holds what no backup does', async () => {
    const archive = async (entries: readonly ArchiveEntry[], change: (tar: Buffer) => Buffer = tar => tar) => {
      const tar = change(await gathered(packArchive(sent(entries))))
      return gathered(encryptWithPassphrase(sent([tar]), PASSPHRASE, COST))
    }
    const entry = (path: string, text?: string) => ({
      path,
      mode: 0o644,
      modifiedSec: 0,
      ...(text !== undefined && { file: { size: text.length, content: sent([Buffer.from(text)]) } }),
    })
    const says = async (bytes: Uint8Array, message: RegExp) => {
      const error = await refusal(bytes)
      expect(error).toBeInstanceOf(ArchiveError)
      expect((error as Error).message).toMatch(message)
      expect((error as Error).message).toMatch(/copy: The/)
    }
    for (const path of ['../evil', '/tmp/evil', 'a/../../evil', './evil', 'a//evil', '..', 'a\\evil', 'a\nevil'])
      await says(await archive([entry(path, 'x')]), /the path/)
    const asType = (type: string) => (tar: Buffer) => withChecksum(tar, header => header.write(type, 156))
    for (const type of ['1', '2', '3', '4', '6', '7', 'S'])
      await says(await archive([entry('link', '')], asType(type)), /'link', which is neither/)
    await says(await archive([entry('a', 'x'), entry('a', 'y')]), /'a' twice/)
    await says(await archive([entry('a', 'x'), entry('a/b', 'y')]), /without its folder/)
    await says(await archive([entry('a/b', 'y')]), /without its folder/)
    const asLarge = (tar: Buffer) => withChecksum(tar, header => header.write('77777777777', 124))
    await says(await archive([entry('huge', 'x')], asLarge), /less than it says/)
    await says(await archive([entry('a', 'x')], tar => tar.fill(9, 0, 4)), /damaged header/)
    await says(await archive([entry('a', 'x')], tar => Buffer.concat([tar, Buffer.alloc(512, 1)])), /damaged header/)
    await says(await archive([entry('a', 'x')], tar => tar.subarray(0, 512)), /less than it says/)
    const none = await refusal(await archive([entry('notes', 'x')]))
    expect(none).toMatchObject({ code: 'BACKUP', message: 'The archive contains no peer.' })
  })
})

test('weights and the state of their optimizer are of one save, whenever a solver saves', async () => {
  for (let savedAt = 1; savedAt <= 5; savedAt++) {
    const folder = newRoot()
    writeFileSync(join(folder, 'optimizer-0'), '0')
    writeFileSync(join(folder, 'weights'), '0')
    let asked = 0
    const isKept = (name: string) => {
      if (++asked === savedAt) {
        writeFileSync(join(folder, 'optimizer-1'), '1')
        writeFileSync(join(folder, 'weights.tmp'), '1')
        renameSync(join(folder, 'weights.tmp'), join(folder, 'weights'))
        rmSync(join(folder, 'optimizer-0'))
      }
      return !name.endsWith('.tmp')
    }
    const held = new Map<string, string>()
    for await (const { path, file } of folderEntries(folder, isKept))
      held.set(path, (await gathered(file?.content ?? sent([]))).toString())
    expect(held.get(`optimizer-${held.get('weights')}`)).toBe(held.get('weights'))
  }
})

async function gathered(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

async function* sent<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

/** The archive with its first header changed, as one who makes archives would. */
function withChecksum(tar: Buffer, change: (header: Buffer) => void): Buffer {
  const header = tar.subarray(0, 512)
  change(header)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return tar
}
