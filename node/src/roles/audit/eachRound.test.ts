import { expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { RoundVoidError } from './auditRound.ts'
import { eachRound } from './eachRound.ts'

/** A chain on which rounds up to one can no longer be settled, and whose round 5 is void. */
function setup(opened: number) {
  const calls: string[] = []
  const reached = new Map<number, () => void>()
  let isOver = false
  let failing: true[] = []
  return {
    calls,
    audit: {
      waitFor(round: number): Promise<void> {
        if (isOver) return Promise.reject(new Error('stop'))
        if (round <= opened) return Promise.resolve()
        return new Promise((resolve, reject) =>
          reached.set(round, () => (isOver ? reject(new Error('stop')) : resolve())),
        )
      },
      async audit(round: number, only: string | null) {
        calls.push(`${round} ${only}`)
        if (round === 5) throw new RoundVoidError('There is no beacon of round 5.', { hint: 'Choose another round.' })
        if (failing.pop()) throw new ChainUnreachableError('No valid answer.', { hint: '', retryable: true })
        return { round, tasks: 8, peers: [], disagreements: [], lackingBases: [] }
      },
      rest: async (round: number, { message }: Error) => void calls.push(`rest ${round}: ${message}`),
    },
    /** The next reads fail. */
    fail(times: number) {
      failing = Array(times).fill(true)
    },
    reach(round: number) {
      opened = round
      reached.get(round)?.()
    },
    stop() {
      isOver = true
      for (const wake of reached.values()) wake()
    },
  }
}

test('an audit that follows gives each round once it can no longer be settled, void ones too, until it is stopped', async () => {
  const { audit, calls, reach, stop } = setup(4)
  const rounds = eachRound(audit, { first: 3, last: Number.POSITIVE_INFINITY }, 'a b c')
  expect((await rounds.next()).value).toMatchObject({ round: 3, tasks: 8 })
  expect((await rounds.next()).value).toMatchObject({ round: 4, tasks: 8 })
  const next = rounds.next()
  await new Promise(resolve => setImmediate(resolve))
  expect(calls).toEqual(['3 a b c', '4 a b c'])
  reach(5)
  expect((await next).value).toEqual({ round: 5, tasks: 0, peers: [], disagreements: [], lackingBases: [] })
  const last = rounds.next()
  await new Promise(resolve => setImmediate(resolve))
  stop()
  await expect(last).rejects.toThrow('stop')
})

test('a range ends with its last round; one round is not waited for, and says that it is void', async () => {
  const { audit } = setup(9)
  const found: number[] = []
  for await (const { round } of eachRound(audit, { first: 4, last: 6 }, null)) found.push(round)
  expect(found).toEqual([4, 5, 6])
  const early = setup(0)
  for await (const { round } of eachRound(early.audit, { first: 2, last: 2 }, null)) expect(round).toBe(2)
  await expect(eachRound(audit, { first: 5, last: 5 }, null).next()).rejects.toThrow(RoundVoidError)
})

test('an audit that follows reads a round again that its endpoint kept from being read; a range ends with the error', async () => {
  const { audit, calls, fail } = setup(9)
  fail(2)
  const rounds = eachRound(audit, { first: 3, last: Number.POSITIVE_INFINITY }, null)
  expect((await rounds.next()).value).toMatchObject({ round: 3, tasks: 8 })
  const waited = 'rest 3: No valid answer.'
  expect(calls).toEqual(['3 null', waited, '3 null', waited, '3 null'])
  fail(1)
  await expect(eachRound(audit, { first: 3, last: 4 }, null).next()).rejects.toThrow(ChainUnreachableError)
})
