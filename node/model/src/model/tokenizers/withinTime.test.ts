import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { OutOfTimeError, withinTime } from './withinTime.ts'

/** Blocks the thread without using its processor, as a busy machine does. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('work that was given no processor time is run again', () => {
  let starts = 0
  const work = () => {
    starts++
    if (starts < 3) block(10_000)
    return 'done'
  }
  expect(withinTime(20, work)).toBe('done')
  expect(starts).toBe(3)
})

test('work that never gets processor time is given up', () => {
  let starts = 0
  const work = () => {
    starts++
    block(10_000)
  }
  expect(() => withinTime(20, work)).toThrow(OutOfTimeError)
  expect(starts).toBe(5)
})

test('an error of the work is thrown at once', () => {
  const error = new RangeError('its own')
  expect(() =>
    withinTime(20, () => {
      throw error
    }),
  ).toThrow(error)
})

test('a runtime that counts no processor time of a thread, such as Node 22, gives up endless work too', () => {
  const module = new URL('./withinTime.ts', import.meta.url).href
  const program = `
    process.threadCpuUsage = undefined
    const { withinTime } = await import('${module}')
    try {
      withinTime(20, () => { for (;;); })
    } catch ({ name }) {
      console.log(name)
    }`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(printed).toBe('OutOfTimeError\n')
})
