import { expect, test } from 'vitest'
import { keepFinal } from './keepFinal.ts'

test('what can change is read each time, what cannot once, for the last rounds asked for', async () => {
  const reads: number[] = []
  let over = 3
  let isOut = true
  const read = keepFinal(
    async round => {
      reads.push(round)
      if (isOut) throw new Error('the endpoint is out')
      return `round ${round}`
    },
    round => round <= over,
  )
  await expect(read(3)).rejects.toThrow('out')
  isOut = false
  expect(await Promise.all([read(3), read(3), read(4), read(4)])).toEqual(['round 3', 'round 3', 'round 4', 'round 4'])
  expect(reads).toEqual([3, 3, 4, 4])
  over = 20
  for (let round = 4; round <= 10; round++) await read(round)
  reads.length = 0
  for (const round of [10, 5, 3]) await read(round)
  expect(reads).toEqual([3])
})
