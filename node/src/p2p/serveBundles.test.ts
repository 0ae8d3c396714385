import { expect, test } from 'vitest'
import { createPlaces } from './serveBundles.ts'

test('strangers take half of the places at most, so that a registered peer finds one', () => {
  const places = createPlaces({ streams: 8, streamsPerPeer: 4 }, peer => peer.startsWith('registered'))
  const entered = (name: string) => Array.from({ length: 16 }, (_, at) => places.enter(`${name} ${at}`)).filter(Boolean)
  expect(entered('stranger').length).toBe(4)
  expect(entered('registered').length).toBe(4)
  places.leave('stranger 0')
  expect(places.enter('stranger 9')).toBe(true)
})
