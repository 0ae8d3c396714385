import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { appealSalt } from './appealCommitment.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const at = { chainId: 31337, challenges: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' } as const
const place = { round: 3, peerKey: word('01'), level: 1, position: 2, seatKey: word('02') }

test('a salt is the same after a restart, and another for every appeal, seat and account', () => {
  const salt = appealSalt(word('05'), at, place)
  expect(appealSalt(word('05'), at, { ...place })).toBe(salt)
  const others = [
    appealSalt(word('06'), at, place),
    appealSalt(word('05'), { ...at, chainId: 1 }, place),
    appealSalt(word('05'), at, { ...place, round: 4 }),
    appealSalt(word('05'), at, { ...place, level: 2 }),
    appealSalt(word('05'), at, { ...place, peerKey: word('07') }),
    appealSalt(word('05'), at, { ...place, seatKey: word('07') }),
  ]
  expect(new Set([salt, ...others]).size).toBe(7)
})
