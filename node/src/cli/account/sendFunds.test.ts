import { nectarAbi } from '@waggle/deployments/abi'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { fundsToSend, sendFunds } from './sendFunds.ts'

const NECTAR = 10n ** 18n
const to = `0x${'0a'.repeat(20)}`
const funds = fundsToSend(to, 'all', 'nectar')

/** An account with 20 Nectar whose transfers end as a test says; what its outbox has, by key. */
function scene() {
  const outbox = new Map<string, OutboxIntent>()
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const state = { nectarWei: 20n * NECTAR, ids: 0, end: (): void => {} }
  const told: object[] = []
  const session = {
    account: `0x${'01'.repeat(20)}`,
    contracts: { nectar: { address: `0x${'02'.repeat(20)}`, abi: nectarAbi } },
    client: { rpcUrl: '', rpc: { readContract: async () => state.nectarWei, getBalance: async () => NECTAR } },
    journal,
    id: () => {
      state.ids += 1
      return String(state.ids)
    },
    knows: (key: string) => outbox.has(key),
    async send(intent: OutboxIntent) {
      if (!outbox.has(intent.key)) outbox.set(intent.key, intent)
      state.end()
      return { status: 'mined', hash: '0x0c', block: 1 }
    },
  } as unknown as AccountSession
  return {
    ...{ outbox, state, told },
    send: (changes: object = {}) => sendFunds(session, { ...funds, ...changes }, result => told.push(result)),
  }
}

function interrupt(): never {
  throw new CallRefusedError('The command ended before that.', { hint: 'again', retryable: true })
}

test('the same command asks about an interrupted transfer, with its amount, and then sends another', async () => {
  const { outbox, state, told, send } = scene()
  state.end = interrupt
  await expect(send()).rejects.toThrow('ended before that')
  state.end = () => {}
  state.nectarWei = 3n * NECTAR
  await send()
  expect(told).toEqual([expect.objectContaining({ sent: '20', left: '3', interrupted: expect.any(String) })])
  expect(outbox.size).toBe(1)
  await send()
  expect(told[1]).toEqual({ to: expect.any(String), kind: 'nectar', sent: '3', left: '3', hash: '0x0c' })
  expect(outbox.size).toBe(2)
})

test('a transfer that was refused is not resumed', async () => {
  const { outbox, state, told, send } = scene()
  state.end = () => {
    throw new CallRefusedError('It would revert.', { hint: 'no' })
  }
  await expect(send()).rejects.toThrow('revert')
  state.end = () => {}
  await send()
  expect([outbox.size, told]).toEqual([2, [expect.not.objectContaining({ note: expect.anything() })]])
})

test('an interrupted transfer that the outbox does not know is refused once', async () => {
  const { outbox, state, told, send } = scene()
  state.end = interrupt
  await expect(send()).rejects.toThrow('ended before that')
  outbox.clear()
  state.end = () => {}
  await expect(send()).rejects.toThrow(/interrupted, and its outcome is no longer recorded/)
  expect(told).toEqual([])
  await send()
  expect(told).toHaveLength(1)
})

test.each([
  [{ amount: '20.5' }, 'can send 20 Nectar at most'],
  [{ to: `0x${'01'.repeat(20)}` }, 'is this account itself'],
  [{ to: `0x${'02'.repeat(20)}` }, 'a contract of the swarm'],
])('a transfer of %j is refused, and not recorded', async (changes, problem) => {
  const { outbox, send } = scene()
  await expect(send(changes)).rejects.toThrow(problem)
  expect(outbox.size).toBe(0)
})
