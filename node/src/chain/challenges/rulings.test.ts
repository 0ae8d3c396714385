import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import { readRulings } from './rulings.ts'

const key = (number: number) => numberToHex(number, { size: 32 })
const [ROUND, peerKey] = [4, key(1)]

type Event = [emittedIn: number, eventName: string, args: object, of?: number]

/** Rulings on a round, by the events of a chain; and the rounds that were read for them. */
async function rulingsOf(chain: Event[]) {
  const spans: { first: number; last: number }[] = []
  const events = {
    async inRounds(span: { first: number; last: number }, read: (range: object) => Promise<unknown[]>) {
      spans.push(span)
      return read(span)
    },
  } as EventReader
  const rpc = {
    getContractEvents: async ({ first, last }: { first: number; last: number }) =>
      chain
        .filter(([emittedIn]) => emittedIn >= first && emittedIn <= last)
        .map(([, eventName, args, of = ROUND]) => ({
          ...{ eventName, blockNumber: 1n, logIndex: 0 },
          args: { round: BigInt(of), peerKey, ...args },
        })),
  }
  const client = { rpc, rpcUrl: 'x' } as unknown as ChainClient
  const rulings = await readRulings(client, { challenges: {} } as Contracts, events, ROUND)
  return { kinds: rulings.map(({ kind }) => kind), rulings, reads: spans.length }
}

const appeal: Event = [ROUND + 3, 'AppealOpened', { level: 1, drawn: 3 }]
const closing = { outcome: 2, scoreMilli: 0, settledMilli: 700, isMoot: false }

test('rulings are those of the round, and other events are left out', async () => {
  const false_: Event = [ROUND + 1, 'LeafFalse', { index: 3 }]
  const found = await rulingsOf([false_, [ROUND + 1, 'LeafDemanded', {}], [ROUND + 2, 'LeafWithheld', {}, ROUND + 1]])
  expect(found).toEqual({ kinds: ['lost'], rulings: [{ kind: 'lost', peerKey, outcome: 'false leaf' }], reads: 1 })
})

test('an appeal that was left open for long is followed to its closing', async () => {
  expect(await rulingsOf([appeal, [ROUND + 7, 'AppealClosed', closing]])).toMatchObject({ reads: 1 })
  const late = await rulingsOf([appeal, [ROUND + 40, 'AppealClosed', closing]])
  expect(late).toMatchObject({ kinds: ['appealed', 'closed'], reads: 2 })
  expect(late.rulings[1]).toMatchObject({ outcome: 'unavailable', scoreMilli: 0 })
  const open = await rulingsOf([appeal, [ROUND + 7, 'AppealClosed', { ...closing, peerKey: key(2) }]])
  expect(open).toMatchObject({ kinds: ['appealed', 'closed'], reads: 2 })
})
