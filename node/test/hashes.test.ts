import { expect, expectTypeOf, test } from 'vitest'
import { revealVotes } from '#chain/votes/votes.ts'
import type {
  AccountAddress,
  AccountKey,
  Beacon,
  ContentId,
  LeafHash,
  PeerKey,
  PolicyHash,
  Root,
} from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { verifyProof } from '#core/merkle.ts'
import type { LeafHeader } from '#core/payloads/leaf.ts'
import { drawTasks } from '#roles/draws/drawTasks.ts'
import { roundSeed } from '#roles/draws/roundSeed.ts'

const word: Hex = `0x${'11'.repeat(32)}`
const [beacon, peerKey, root] = [word as Beacon, word as PeerKey, word as Root]
const [account, accountKey, leaf] = [word as AccountAddress, word as AccountKey, word as LeafHash]

test('a hash of one name does not compile as another, and plain hexadecimal does', () => {
  expectTypeOf<Hex>().toExtend<PeerKey>()
  expectTypeOf<PeerKey>().toExtend<Hex>()
  expectTypeOf<Root>().not.toExtend<Beacon>()
  expectTypeOf<PeerKey>().not.toExtend<AccountAddress>()
  expectTypeOf<AccountKey>().not.toExtend<PeerKey>()
  expectTypeOf<PolicyHash>().not.toExtend<ContentId>()
  expectTypeOf<LeafHeader['taskHash']>().not.toExtend<LeafHeader['bodyHash']>()
})

test('calls with two hashes swapped do not compile', () => {
  const seed = roundSeed('draw', 1, 1, beacon, peerKey)
  // @ts-expect-error beacon and peer key swapped
  expect(roundSeed('draw', 1, 1, peerKey, beacon)).toBe(seed)
  // @ts-expect-error a root is not a beacon
  expect(roundSeed('draw', 1, 1, root, peerKey)).toBe(seed)
  const rules = { spec: { tasksPerRound: 1 }, places: [] }
  // @ts-expect-error a root is not a beacon
  expect(drawTasks(1, 1, peerKey, { ...rules, beacon: root })).toEqual([])
  // @ts-expect-error an account's address is not a peer key
  expect(drawTasks(1, 1, account, { ...rules, beacon })).toEqual([])
  // @ts-expect-error leaf and root swapped
  expect(verifyProof(leaf, root, [])).toBe(true)
  // @ts-expect-error a peer key is not an account's private key
  expectTypeOf(revealVotes).toBeCallableWith({} as never, peerKey, {} as never)
  expectTypeOf(revealVotes).toBeCallableWith({} as never, accountKey, {} as never)
})
