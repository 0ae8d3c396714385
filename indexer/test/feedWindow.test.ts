import { expect, test } from 'vitest'
import { FeedWindow } from '../src/api/feedWindow.ts'

test('the first rows are all new, and the same rows again are not', () => {
  const window = new FeedWindow()
  expect(window.replace([{ id: '1' }, { id: '2' }])).toEqual({ added: [{ id: '1' }, { id: '2' }], retracted: [] })
  expect(window.replace([{ id: '1' }, { id: '2' }])).toEqual({ added: [], retracted: [] })
})

test('a row that a reorganisation took back is retracted, though its successor sorts before it', () => {
  const window = new FeedWindow()
  window.replace([{ id: '1' }, { id: '5' }])
  expect(window.replace([{ id: '1' }, { id: '4' }])).toEqual({ added: [{ id: '4' }], retracted: ['5'] })
})

test('another row in the same place is sent again', () => {
  const window = new FeedWindow<{ id: string; kind: string }>()
  window.replace([{ id: '1', kind: 'settled' }])
  expect(window.replace([{ id: '1', kind: 'peerMoved' }]).added).toEqual([{ id: '1', kind: 'peerMoved' }])
})

test('rows that newer ones pushed out of the window are not retracted', () => {
  const window = new FeedWindow()
  window.replace([{ id: '1' }, { id: '2' }])
  expect(window.replace([{ id: '2' }, { id: '3' }])).toEqual({ added: [{ id: '3' }], retracted: [] })
})

test('a feed that was emptied retracts what it showed', () => {
  const window = new FeedWindow()
  window.replace([{ id: '1' }])
  expect(window.replace([])).toEqual({ added: [], retracted: ['1'] })
})
