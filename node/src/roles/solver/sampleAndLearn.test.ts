import { expect, test } from 'vitest'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import type { LearnedRound } from './learning/roundLessons.ts'
import { sampleAndLearn } from './sampleAndLearn.ts'

const learnedRound = { updates: 1 } as LearnedRound
const groups = [{}] as CheckedGroup[]

/** A round whose answers and lessons end when it is said; notes what happens. */
function openRound(isApart: boolean) {
  const events: string[] = []
  const [answering, learning] = [Promise.withResolvers<{ groups: CheckedGroup[] }>(), Promise.withResolvers<void>()]
  const stop = new AbortController()
  const done = sampleAndLearn({
    ...{ answering: answering.promise, isApart, signal: stop.signal },
    async afterwards() {
      events.push('canary')
    },
    async learn(own) {
      events.push('learns')
      await learning.promise
      events.push(`${(await own).length} own`)
      return learnedRound
    },
  })
  // A test that awaits it later is told then.
  done.catch(() => undefined)
  return { events, answering, learning, stop, done }
}

test('where the policy itself samples it learns after that, and not where its answers fail', async () => {
  const { events, answering, learning, done } = openRound(false)
  answering.resolve({ groups })
  learning.resolve()
  expect((await done).learned).toBe(learnedRound)
  expect(events).toEqual(['canary', 'learns', '1 own'])

  const failing = openRound(false)
  failing.answering.reject(new Error('no memory'))
  await expect(failing.done).rejects.toThrow('no memory')
  expect(failing.events).toEqual([])
})

test('where another process samples, the policy learns meanwhile, and both are waited for', async () => {
  const { events, answering, learning, done } = openRound(true)
  expect(events).toEqual(['learns'])
  learning.resolve()
  answering.resolve({ groups })
  const { answered } = await done
  expect((await answered).groups).toBe(groups)
  expect(events.toSorted()).toEqual(['1 own', 'canary', 'learns'])
})

test('answers that fail cost nothing that was learned meanwhile', async () => {
  const { events, answering, learning, done } = openRound(true)
  answering.reject(new Error('no memory'))
  learning.resolve()
  const { learned, answered } = await done
  expect(learned).toBe(learnedRound)
  expect(events).toEqual(['learns', '0 own'])
  await expect(answered).rejects.toThrow('no memory')
})

test('a trainer that fails costs no answers: they are sampled to their end before the round fails', async () => {
  const { events, answering, learning, done } = openRound(true)
  learning.reject(new Error('no gradient'))
  let isOver = false
  void done.catch(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  answering.resolve({ groups })
  await expect(done).rejects.toThrow('no gradient')
  expect(events).toContain('canary')
})

test('after a stop nothing is kept of a round whose answers were not sampled', async () => {
  const { answering, learning, stop, done } = openRound(true)
  stop.abort(new Error('stopped'))
  answering.reject(stop.signal.reason)
  learning.resolve()
  await expect(done).rejects.toThrow('stopped')
})
