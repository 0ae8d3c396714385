import { expect, test } from 'vitest'
import { isDone, type RoundWork } from './roundWork.ts'

const done: RoundWork = {
  ...{ solvers: 3, solversNext: 3, learned: 3, committed: 3, named: 3 },
  ...{ toScore: 3, seats: 2, ballots: 2 },
  ...{ toReveal: 2, revealed: 2 },
  ...{ toSettle: 2, settled: 3 },
}

test('a round is done once its solvers learned and named their policies, and its evaluators voted, revealed and settled', () => {
  expect(isDone(done)).toBe(true)
  const early: Partial<RoundWork>[] = [
    ...[{ learned: 2 }, { committed: 2 }, { named: 2 }],
    ...[{ ballots: 1 }, { revealed: 1 }, { settled: 0 }],
  ]
  for (const missing of early) expect(isDone({ ...done, ...missing })).toBe(false)
})

test('a round does not wait for work that is not owed: before keys count, without commitments, or below a quorum', () => {
  const none = { solvers: 0, learned: 0, committed: 0, toScore: 0, ballots: 0, toReveal: 0, revealed: 0 }
  expect(isDone({ ...done, ...none, toSettle: 0, settled: 0 })).toBe(true)
  expect(isDone({ ...done, ...none, toSettle: 1, settled: 0 })).toBe(true)
  expect(isDone({ ...done, ...none, toSettle: 0, settled: 0, named: 2 })).toBe(false)
})
