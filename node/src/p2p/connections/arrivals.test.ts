import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createArrivals } from './arrivals.ts'

class Arriving extends EventTarget {
  isCut = false
  readonly remoteAddr: string
  constructor(host: string) {
    super()
    this.remoteAddr = `/ip4/${host}/tcp/1`
  }
  abort(): void {
    this.isCut = true
    this.dispatchEvent(new Event('close'))
  }
}

function scene(most: number) {
  const clock = createManualClock()
  const arrivals = createArrivals(clock, most)
  const from = (host: string) => {
    const arriving = new Arriving(host)
    return { arriving, isIn: arrivals.enter(arriving) }
  }
  return { clock, arrivals, from }
}

test('a crowd that does not finish its handshakes gives way to who comes from elsewhere, its oldest first', () => {
  const { from } = scene(4)
  const other = from('198.51.100.7')
  const crowd = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map(from)
  expect([from('192.0.2.1').isIn, from('192.0.2.2').isIn]).toEqual([true, false])
  expect([other, ...crowd].map(({ arriving }) => arriving.isCut)).toEqual([false, true, false, false])
})

test('the crowd does not displace a peer whose handshake may end soon', () => {
  const { clock, from } = scene(2)
  const [first] = ['203.0.113.1', '203.0.113.2'].map(from)
  expect(from('203.0.113.3').isIn).toBe(false)
  clock.advance(3_000)
  expect([from('203.0.113.3').isIn, first?.arriving.isCut]).toEqual([true, true])
})

test('upgraded and closed connections take no place', () => {
  const { arrivals, from } = scene(2)
  const [first, second] = ['203.0.113.1', '203.0.113.2'].map(from)
  if (first) arrivals.leave(first.arriving)
  second?.arriving.dispatchEvent(new Event('close'))
  expect(['203.0.113.3', '203.0.113.4'].map(host => from(host).isIn)).toEqual([true, true])
  expect(first?.arriving.isCut).toBe(false)
})
