import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepReading, readUntilAnswered } from './readUntilAnswered.ts'

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

test('demands in a burst are one more read, which begins after the running one has ended and was reported', async () => {
  const [ends, answers]: [((answer: number) => void)[], number[]] = [[], []]
  const read = () => new Promise<number>(resolve => ends.push(resolve))
  const { again, stop } = keepReading(read, answer => answers.push(answer))
  for (let second = 0; second < 60; second += 1) {
    again()
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect([ends.length, answers]).toEqual([1, []])
  ends[0]?.(1)
  await vi.advanceTimersByTimeAsync(1_999)
  expect([ends.length, answers]).toEqual([1, [1]])
  await vi.advanceTimersByTimeAsync(1)
  ends[1]?.(2)
  await vi.advanceTimersByTimeAsync(600_000)
  expect([ends.length, answers]).toEqual([2, [1, 2]])
  again()
  stop()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(ends.length).toBe(2)
})

test('an answer is read again at most once in two seconds, however often it is demanded', async () => {
  const { read, attempts } = failing(0)
  const { again } = keepReading(read, () => {})
  for (let tenth = 0; tenth < 100; tenth += 1) {
    await vi.advanceTimersByTimeAsync(100)
    again()
  }
  expect(attempts()).toBe(5)
})
