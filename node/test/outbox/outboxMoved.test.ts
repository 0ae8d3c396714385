import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { backupDataFolder } from '#store/backup/backup.ts'
import { openBackup } from '#store/backup/openBackup.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { intent, setup } from './outboxScene.ts'

test('a transfer that the peer replaced after its backup is not sent again by the restored one', async () => {
  const { chain, modules } = setup()
  const root = mkdtempSync(join(tmpdir(), 'waggle-replaced-'))
  const openOutbox = (folder: string) => {
    const store = createOutboxTable(openDatabase(join(root, folder, 'journal.sqlite')))
    return { store, outbox: createOutbox({ ...modules, store }, { confirmations: 3 }) }
  }
  await openIdentity(join(root, 'old'))
  const old = openOutbox('old')
  old.outbox.enqueue(intent('0x01'))
  await old.outbox.tick()
  chain.setBaseFee(240n)
  await backupDataFolder(join(root, 'old'), join(root, 'copy'), 'passphrase', { models: 'none', cost: 4 })
  const run = async ({ outbox }: typeof old) => {
    for (let block = 0; block < 10; block++) {
      await outbox.tick()
      chain.mine()
    }
  }
  await run(old)
  expect(old.store.get('0x01')).toMatchObject({ status: 'confirmed', attempts: { length: 2 } })
  expect(await (await openBackup(join(root, 'copy'), join(root, 'new'))).restore('passphrase')).toBe(1)
  const restored = openOutbox('new')
  restored.outbox.enqueue(intent('0x02'))
  await run(restored)
  expect(chain.executed()).toEqual(['0x01', '0x02'])
})

test('a peer that was moved to another machine finishes what it had signed, and the old one does not repeat it', async () => {
  const { chain, modules } = setup()
  const root = mkdtempSync(join(tmpdir(), 'waggle-move-'))
  const openOutbox = (folder: string) => {
    const store = createOutboxTable(openDatabase(join(root, folder, 'journal.sqlite')))
    return { store, outbox: createOutbox({ ...modules, store }, { confirmations: 3 }) }
  }
  const { accountKey } = await openIdentity(join(root, 'old'))
  const old = openOutbox('old')
  old.outbox.enqueue(intent('0x01', { through: 9 }))
  await old.outbox.tick()
  // A bet, say, which waits its turn.
  old.outbox.enqueue(intent('0x03'))

  await backupDataFolder(join(root, 'old'), join(root, 'copy'), 'passphrase', { models: 'none', cost: 4 })
  expect(await (await openBackup(join(root, 'copy'), join(root, 'new'))).restore('passphrase')).toBe(1)
  expect((await openIdentity(join(root, 'new'))).accountKey).toBe(accountKey)
  const moved = openOutbox('new')
  expect(moved.store.get('0x03')).toBeUndefined()
  expect(moved.store.get('0x01')?.attempts).toEqual(old.store.get('0x01')?.attempts)
  moved.outbox.enqueue(intent('0x02'))
  for (let block = 0; block < 5; block++) {
    await moved.outbox.tick()
    chain.mine()
  }
  await moved.outbox.tick()
  expect(chain.executed()).toEqual(['0x01', '0x02'])
  expect(['0x01', '0x02'].map(key => moved.store.get(key)?.status)).toEqual(['confirmed', 'confirmed'])

  // The old machine wakes up with the journal of before the move, and has the bet to itself.
  expect(old.store.get('0x01')?.status).toBe('signed')
  await old.outbox.tick()
  chain.mine()
  expect(old.store.get('0x01')?.status).toBe('confirmed')
  expect(chain.executed()).toEqual(['0x01', '0x02', '0x03'])
})
