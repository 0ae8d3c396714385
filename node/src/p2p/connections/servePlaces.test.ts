import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createPlaces } from './servePlaces.ts'

function scene() {
  const clock = createManualClock()
  const limits = { streams: 8, streamsPerPeer: 4, minBytesPerSecond: 64_000 }
  const places = createPlaces(limits, peer => peer.startsWith('registered'), clock)
  const enter = (name: string, count: number) => Array.from({ length: count }, (_, at) => places.enter(`${name} ${at}`))
  return { clock, places, enter }
}
const given = (places: readonly unknown[]) => places.filter(place => place !== null).length

test('strangers take half of the places at most, so that a registered peer finds one', () => {
  const { enter, places } = scene()
  const strangers = enter('stranger', 16)
  expect(given(strangers)).toBe(4)
  expect(given(enter('registered', 16))).toBe(4)
  strangers[0]?.leave(true)
  expect(places.enter('stranger 9')).not.toBeNull()
})

test('registered peers that take nothing give way to one that asks for the first time, and those that take payloads do not', () => {
  const { clock, enter, places } = scene()
  const [slow, ...others] = enter('registered', 8)
  expect(places.enter('registered solver')).toBeNull()
  clock.advance(3_000)
  for (const other of others) other?.took(200_000)
  expect(places.enter('registered evaluator')).not.toBeNull()
  expect(slow?.signal.aborted).toBe(true)
  expect(others.map(other => other?.signal.aborted)).toEqual(others.map(() => false))
  expect(places.enter('registered solver')).toBeNull()
})

test('one that asks again before it is slow, or for many payloads at once, gives way too', () => {
  const { clock, enter, places } = scene()
  const hogs = [1, 2].map(at => Array.from({ length: 4 }, () => places.enter(`registered hog ${at}`)))
  expect(given(hogs.flat())).toBe(8)
  expect(places.enter('registered one')).not.toBeNull()
  for (const place of hogs.flat()) place?.leave(true)
  const again = enter('registered', 7)
  clock.advance(1_000)
  again[3]?.leave(false)
  const taken = places.enter('registered 3')
  expect(places.enter('registered evaluator')).not.toBeNull()
  expect(taken?.signal.aborted).toBe(true)
})

test('a peer that asks for payload after payload and takes none has to come back later, and others do not', () => {
  const { clock, places } = scene()
  const leave = () => {
    const place = places.enter('registered hog')
    place?.leave(false)
    return place !== null
  }
  expect(Array.from({ length: 100 }, leave).filter(Boolean).length).toBe(5)
  expect(places.enter('registered one')).not.toBeNull()
  clock.advance(10_000)
  expect(leave()).toBe(true)
})
