import { expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { verdictCommitment, verdictSalt } from './verdictCommitment.ts'

const key: Hex = `0x${'11'.repeat(32)}`
const place = { chainId: 1, market: `0x${'22'.repeat(20)}` as Hex, gameId: 3n, seatKey: `0x${'44'.repeat(32)}` as Hex }

test('salts differ by account, game, seat and chain, and are the same when asked again', () => {
  const salts = [
    verdictSalt(key, place),
    verdictSalt(`0x${'12'.repeat(32)}` as const, place),
    verdictSalt(key, { ...place, gameId: 4n }),
    verdictSalt(key, { ...place, seatKey: key }),
    verdictSalt(key, { ...place, chainId: 2 }),
  ]
  expect(new Set(salts).size).toBe(salts.length)
  expect(verdictSalt(key, place)).toBe(salts[0])
})

test('a commitment binds the choice and the salt', () => {
  const salt = verdictSalt(key, place)
  const commitments = [0, 1].map(choice => verdictCommitment(place, choice, salt))
  expect(new Set([...commitments, verdictCommitment(place, 0, key)]).size).toBe(3)
})
