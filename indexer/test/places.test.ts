import { expect, test } from 'vitest'
import { createPlaces } from '../src/api/places.ts'

test('one address has some of the places, and loopback and private networks, where proxies are, more', () => {
  const places = createPlaces({ total: 6, ofAddress: 2, ofProxy: 3 })
  const [first, second, third] = ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7'].map(places.take)
  expect([first, second, third]).toEqual([expect.any(Function), expect.any(Function), null])
  const proxied = ['127.0.0.1', '::1', '127.0.0.1', '::ffff:127.0.0.1', '172.18.0.1'].map(places.take)
  expect(proxied.map(place => place === null)).toEqual([false, false, false, true, false])
  expect(places.take('203.0.113.8')).toBe(null)
  first?.()
  expect(places.take('172.18.0.1')).toEqual(expect.any(Function))
  second?.()
  const six = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8::3'].map(
    createPlaces({ total: 6, ofAddress: 2, ofProxy: 3 }).take,
  )
  expect(six).toEqual([expect.any(Function), expect.any(Function), null])
  expect(places.take('203.0.113.7')).toEqual(expect.any(Function))
})
