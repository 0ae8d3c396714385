import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { BackupError, backupDataFolder, restoreDataFolder } from './backup.ts'
import { openBundles } from './bundles.ts'
import { openIdentity } from './identity.ts'
import { createJournal } from './journal.ts'
import { lockDataFolder } from './lockDataFolder.ts'
import { openDatabase } from './openDatabase.ts'

test('a running node is backed up and restored with keys and journal, without bundles and lock', async () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-backup-'))
  const [dataDir, target, restored] = [join(root, 'data'), join(root, 'copy'), join(root, 'restored')]
  const identity = await openIdentity(dataDir)
  const lock = lockDataFolder(dataDir)
  const db = openDatabase(join(dataDir, 'journal.sqlite'))
  createJournal(db, systemClock).set(1, 'key', 'value')
  await (await openBundles(join(dataDir, 'bundles'), { logger: silentLogger })).put(new Uint8Array(9), 1)

  await backupDataFolder(dataDir, target)
  db.close()
  lock.release()
  await restoreDataFolder(target, restored)

  const again = await openIdentity(restored)
  expect(again.peerId).toBe(identity.peerId)
  expect(again.accountKey).toBe(identity.accountKey)
  expect(statSync(join(restored, 'peer.key')).mode & 0o777).toBe(0o600)
  expect(createJournal(openDatabase(join(restored, 'journal.sqlite')), systemClock).get(1, 'key')).toBe('value')
  for (const name of ['bundles', 'node.lock', 'node.pid', 'journal.sqlite-wal'])
    expect(existsSync(join(target, name))).toBe(false)
})

test('a backup overwrites nothing, and neither does a restore', async () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-backup-'))
  const dataDir = join(root, 'data')
  await openIdentity(dataDir)
  await expect(backupDataFolder(dataDir, dataDir)).rejects.toThrow(BackupError)
  await expect(backupDataFolder(join(root, 'none'), join(root, 'copy'))).rejects.toThrow(BackupError)
  await backupDataFolder(dataDir, join(root, 'copy'))
  writeFileSync(join(dataDir, 'other'), '')
  await expect(restoreDataFolder(join(root, 'copy'), dataDir)).rejects.toThrow(/not empty/)
  await expect(restoreDataFolder(join(root, 'none'), join(root, 'new'))).rejects.toThrow(BackupError)
})
