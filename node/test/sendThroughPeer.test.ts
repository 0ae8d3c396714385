import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { sendThroughPeer } from '#chain/outbox/sendThroughPeer.ts'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createFakeChain } from './fakeChain.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-outbox-'))
const bet: OutboxIntent = { key: 'bet', to: `0x${'bb'.repeat(20)}`, data: '0x01', fromRound: null, throughRound: null }
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
  rmSync(folder, { recursive: true, force: true })
})

/** A peer's outbox, and the same database as another process opens it. */
function setup() {
  const [own, other] = [0, 1].map(() => {
    const db = openDatabase(join(folder, 'journal.sqlite'))
    closers.push(() => db.close())
    return createOutboxTable(db)
  })
  if (own === undefined || other === undefined) throw new Error('no database')
  const chain = createFakeChain()
  chain.mine()
  const clock = createManualClock()
  const outbox = createOutbox({
    store: own,
    rpc: chain.rpc,
    head: chain.head,
    nextHead: chain.head,
    clock,
    logger: silentLogger,
  })
  return { chain, clock, outbox, store: own, ask: () => sendThroughPeer({ store: other, clock, pollMs: 250 }, bet) }
}

test('the peer that runs sends what another process leaves in its outbox, once', async () => {
  const { chain, clock, outbox, ask } = setup()
  const both = Promise.all([ask(), ask()])
  await outbox.tick()
  chain.mine()
  await outbox.tick()
  clock.advance(250)
  expect(await both).toMatchObject([{ status: 'mined', block: 1 }, { status: 'mined' }])
  expect(chain.executed()).toEqual(['0x01'])
})

test('a call that would revert in two blocks is reported with its error', async () => {
  const { chain, clock, outbox, ask } = setup()
  chain.reverting.add('0x01')
  const asked = ask()
  await outbox.tick()
  chain.mine()
  await outbox.tick()
  clock.advance(250)
  expect(await asked).toEqual({ status: 'reverted', error: 'Reverts(0x01)', hash: null })
})

test('a call that the contract refused for a while is sent when a command repeats it', async () => {
  const { chain, clock, outbox, ask } = setup()
  chain.reverting.add('0x01')
  outbox.enqueue(bet)
  for (let block = 0; block < 2; block++) {
    await outbox.tick()
    chain.mine()
  }
  expect(await outbox.outcome('bet')).toMatchObject({ status: 'reverted' })
  chain.reverting.clear()
  const asked = ask()
  await outbox.tick()
  chain.mine()
  await outbox.tick()
  clock.advance(250)
  expect(await asked).toMatchObject({ status: 'mined' })
  expect(chain.executed()).toEqual(['0x01'])
})

test('a peer that does not send is not waited for for ever, and sends later', async () => {
  const { chain, clock, outbox, ask } = setup()
  const asked = ask()
  clock.advance(120_000)
  expect(await asked).toEqual({ status: 'stopped' })
  await outbox.tick()
  chain.mine()
  expect(chain.executed()).toEqual(['0x01'])
})

test('a call that was dropped with an open nonce is sent after all if it is asked for again', async () => {
  const { chain, clock, outbox, store, ask } = setup()
  const { id } = outbox.enqueue(bet)
  await outbox.tick()
  store.setStatus(id, 'dropped', 'its nonce was far ahead')
  const asked = ask()
  chain.mine()
  await outbox.tick()
  clock.advance(250)
  expect(await asked).toMatchObject({ status: 'mined', block: 1 })
  expect(chain.executed()).toEqual(['0x01'])
})
