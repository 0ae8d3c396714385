import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readUntilAnswered } from './readUntilAnswered.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A read that fails so many times before it answers. */
const failing = (times: number) => {
  let attempts = 0
  const read = async () => {
    attempts += 1
    if (attempts <= times) throw new Error('no answer')
    return `answer ${attempts}`
  }
  return { read, attempts: () => attempts }
}

test('a read that failed is repeated after 1, 2 and 4 seconds, and its answer is reported once', async () => {
  const { read, attempts } = failing(3)
  const answers: string[] = []
  readUntilAnswered(read, answer => answers.push(answer))
  await vi.advanceTimersByTimeAsync(2_999)
  expect(attempts()).toBe(2)
  await vi.advanceTimersByTimeAsync(4_001)
  expect(answers).toEqual(['answer 4'])
  await vi.advanceTimersByTimeAsync(600_000)
  expect([attempts(), answers.length]).toEqual([4, 1])
})

test('a long outage is asked about twice a minute', async () => {
  const { read, attempts } = failing(1_000)
  readUntilAnswered(read, () => {})
  await vi.advanceTimersByTimeAsync(60_000)
  const before = attempts()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(attempts() - before).toBe(20)
})

test('nothing is reported or asked once it is stopped', async () => {
  const { read, attempts } = failing(1)
  const answers: string[] = []
  const stop = readUntilAnswered(read, answer => answers.push(answer))
  await vi.advanceTimersByTimeAsync(0)
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  readUntilAnswered(read, answer => answers.push(answer))()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([attempts(), answers.length]).toEqual([2, 0])
})
