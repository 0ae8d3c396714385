import { expect, test } from 'vitest'
import { openStream, type StreamSource } from './openStream.ts'

/** Streams that the test opens, refuses and loses, and waits that it ends. */
function scene() {
  const opened: (StreamSource & { isFirst: boolean; listeners: Map<string, (message: { data: string }) => void> })[] =
    []
  const waits: { callback: () => void; delayMs: number }[] = []
  const states: string[] = []
  const items: string[] = []
  const stop = openStream(
    {
      open(isFirst) {
        const listeners = new Map<string, (message: { data: string }) => void>()
        const source = {
          ...{ isFirst, listeners, readyState: 0, onopen: null, onerror: null },
          addEventListener: (event: string, listener: (message: { data: string }) => void) =>
            void listeners.set(event, listener),
          close() {
            this.readyState = 2
          },
        }
        opened.push(source)
        return source
      },
      wait(callback, delayMs) {
        const one = { callback, delayMs }
        waits.push(one)
        return () => void waits.splice(waits.indexOf(one), 1)
      },
    },
    { onState: state => states.push(state), on: { item: data => items.push(data) } },
  )
  const refuse = () => {
    const source = opened.at(-1)
    if (source === undefined) throw new Error('nothing was opened')
    source.readyState = 2
    source.onerror?.()
  }
  return { opened, waits, states, items, stop, refuse }
}

test('a stream that is refused is opened again, later each time, and asks for what it missed', () => {
  const { opened, waits, states, items, refuse } = scene()
  refuse()
  expect(waits.map(({ delayMs }) => delayMs)).toEqual([2_000])
  waits.pop()?.callback()
  refuse()
  expect(waits.map(({ delayMs }) => delayMs)).toEqual([4_000])
  waits.pop()?.callback()
  expect(opened.map(({ isFirst }) => isFirst)).toEqual([true, false, false])
  opened[2]?.onopen?.()
  opened[2]?.listeners.get('item')?.({ data: 'an event' })
  expect(states).toEqual(['lost', 'lost', 'live'])
  expect(items).toEqual(['an event'])
  refuse()
  expect(waits.map(({ delayMs }) => delayMs)).toEqual([2_000])
})

test('the browser’s own reconnecting is left alone, and nothing is opened after the end', () => {
  const { opened, waits, stop, refuse } = scene()
  opened[0]?.onerror?.()
  expect(waits).toEqual([])
  refuse()
  stop()
  expect(waits).toEqual([])
  expect(opened).toHaveLength(1)
})
