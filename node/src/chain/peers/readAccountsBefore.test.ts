import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { readAccountsBefore } from './readAccountsBefore.ts'

const [key, other] = [numberToHex(1, { size: 32 }), numberToHex(2, { size: 32 })]
const account = (number: number) => numberToHex(number, { size: 20 })
const move = (block: number, peerKey: string, from: number) => ({
  blockNumber: BigInt(block),
  args: { peerKey, from: account(from), to: account(from + 1) },
})

test('a peer that moved since a block had the account of its first move after it', async () => {
  const logs = [move(6, key, 10), move(7, key, 11), move(8, key, 12), move(9, other, 20)]
  const rpc = { getContractEvents: async () => logs } as never
  const events = { inRounds: (_: object, read: (range: never) => Promise<never[]>) => read({} as never) } as never
  const found = await readAccountsBefore({ rpc }, {} as never, events, [key, other], {
    block: 6,
    rounds: { first: 3, last: 9 },
  })
  expect([...found].sort()).toEqual([
    [key, account(11)],
    [other, account(20)],
  ])
})
