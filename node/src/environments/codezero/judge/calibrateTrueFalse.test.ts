import { expect, test } from 'vitest'
import { mean } from '#base/mean.ts'
import { randomStream } from '#base/random.ts'
import { examineJudge } from './calibrateTrueFalse.ts'
import { labelledPairs } from './labelledPairs.ts'

test('Trivial code does not hide that a judge hardly tells near-misses from right code.', () => {
  const pairs = labelledPairs(400, 'examined')
  const isTrivial = (code: string) => /^def .*\n {4}return \w+\n$/.test(code)
  const found = Array.from({ length: 100 }, (_, seed) => {
    const noise = randomStream('odds', `${seed}`)
    const judged = pairs.map(({ code, isRight }) => {
      const centre = isTrivial(code) ? -6 : isRight ? 0.15 : -0.15
      return { odds: centre + noise.normal(), isRight, isOwn: false }
    })
    return examineJudge(judged).figures.balancedAccuracy
  })
  // A quarter of the wrong code is trivial, and of the rest 0.56 is told: 0.62.
  expect(mean(found)).toBeLessThan(0.645)
  expect(mean(found)).toBeGreaterThan(0.57)
})
