import { expect, test } from 'vitest'
import { keepKnown, mergeFeed } from './mergeFeed.ts'

const live = (id: string, peerKey: string, kind = 'votesCommitted', detail: Record<string, string> = {}) => ({
  id,
  kind,
  round: 1,
  peerKey,
  detail,
  atSec: 1,
})

const page = [{ ...live('02', '0xa'), peer: { name: 'brisk amber bee', peerId: '16U' } }]

test('new events come first, named by what the page knows', () => {
  const merged = mergeFeed(page, { items: [live('03', '0xa'), live('04', '0xb')], retracted: [] }, 10)
  expect(merged.map(item => [item.id, item.peer?.name])).toEqual([
    ['04', undefined],
    ['03', 'brisk amber bee'],
    ['02', 'brisk amber bee'],
  ])
})

test('an event that both have appears once, with its name', () => {
  const merged = mergeFeed(page, { items: [live('02', '0xa')], retracted: [] }, 10)
  expect(merged).toEqual(page)
})

test('an event that the chain took back is gone', () => {
  expect(mergeFeed(page, { items: [], retracted: ['02'] }, 10)).toEqual([])
})

test('a registration names its peer itself, and the feed stays short', () => {
  const items = [live('05', '0xc', 'peerRegistered', { name: 'calm tall wasp', peerId: '16V' })]
  expect(mergeFeed(page, { items, retracted: [] }, 1)[0]?.peer?.name).toBe('calm tall wasp')
})

test('bets of one game and round are one item, which a reorganisation makes smaller', () => {
  const bet = (id: string, account: string, bettingRound: number, gameId = '3') =>
    live(id, '', 'betPlaced', { gameId, bettingRound: String(bettingRound), account, stakeWei: '2' })
  const items = [
    bet('01', '0xa', 0),
    bet('03', '0xb', 1),
    bet('04', '0xa', 1),
    bet('06', '0xb', 1),
    bet('05', '0xb', 1, '4'),
  ]
  const folded = (retracted: string[]) =>
    mergeFeed(page, { items, retracted }, 10).map(({ id, detail }) => [
      id,
      detail.accounts,
      detail.bets,
      detail.stakeWei,
    ])
  const [alone, other, first] = [
    ['05', undefined, undefined, '2'],
    ['02', undefined, undefined, undefined],
    ['01', undefined, undefined, '2'],
  ]
  expect(folded([])).toEqual([['06', 2, 3, '6'], alone, other, first])
  expect(folded(['04', '06'])).toEqual([alone, ['03', undefined, undefined, '2'], other, first])
})

test('after a time without the stream, items that the index no longer has are dropped, and those before its newest rows stay', () => {
  const items = ['01', '03', '04', '06'].map(id => live(id, '0xa'))
  expect(keepKnown(items, ['02', '03', '05']).map(({ id }) => id)).toEqual(['01', '03'])
  expect(keepKnown(items, [])).toEqual([])
})
