import { expect, test } from 'vitest'
import { gameNews } from './gameNews.ts'

const event = (id: string, gameId: string) => ({
  ...{ id, kind: 'betPlaced', round: 3, atSec: 0, peerKey: null, detail: { gameId } },
})
const quiet = { totalStake: '10', items: [event('1', '4')], freshness: { state: 'live' as const } }

test('a game has news with each event of its own, and with a reorganisation that takes back the only one', () => {
  const own = { ...quiet, items: [event('1', '4'), event('2', '3')] }
  const [before, placed] = [gameNews('3', quiet), gameNews('3', own)]
  expect(placed).not.toBe(before)
  expect(gameNews('3', { ...own, items: [...own.items, event('3', '4')] })).toBe(placed)
  expect(gameNews('3', { ...own, items: [...own.items, event('3', '3')] })).not.toBe(placed)
  expect(gameNews('3', quiet)).toBe(before)
})

test('a game has news with its stakes, and with a stream that is lost or back, but not with the first one', () => {
  const before = gameNews('3', quiet)
  expect(gameNews('3', { ...quiet, totalStake: '11' })).not.toBe(before)
  expect(gameNews('3', { ...quiet, freshness: { state: 'connecting' } })).toBe(before)
  for (const state of ['lost', 'stale'] as const)
    expect(gameNews('3', { ...quiet, freshness: { state, sinceMs: 1 } })).not.toBe(before)
})
