import {
  calibratedProbability,
  evidenceFeatures,
  type JudgeCalibration,
  type JudgeEvidence,
} from '../../node/src/environments/codezero/judge/judgeCalibration.ts'

const RIDGE = 2e-4
const STEPS = 50

/**
 * Logistic regression from evidence to right or wrong, both classes weighing the same, by Newton's method.
 *
 * @param evidence - null for code that the judge does not read; left out.
 */
export function fitCalibration(
  evidence: readonly (JudgeEvidence | null)[],
  isRight: readonly boolean[],
): JudgeCalibration {
  const pairs = evidence.flatMap((found, i) => (found ? [{ found, y: isRight[i] ? 1 : 0 }] : []))
  const positives = pairs.reduce((sum, { y }) => sum + y, 0)
  const weightOf = (y: number) => 0.5 / Math.max(1, y ? positives : pairs.length - positives)
  let calibration: JudgeCalibration = { bias: 0, gap: 0, nll: 0 }
  for (let step = 0; step < STEPS; step++) {
    const parameters = [calibration.bias, calibration.gap, calibration.nll]
    const gradient = parameters.map(value => RIDGE * value)
    const curvature = parameters.map((_, i) => parameters.map((__, j) => (i === j ? RIDGE : 0)))
    for (const { found, y } of pairs) {
      const x = [1, ...evidenceFeatures(found)]
      const p = calibratedProbability(found, calibration)
      x.forEach((xi, i) => {
        gradient[i] = (gradient[i] ?? 0) + weightOf(y) * (p - y) * xi
        x.forEach((xj, j) => {
          const row = curvature[i] as number[]
          row[j] = (row[j] ?? 0) + weightOf(y) * p * (1 - p) * xi * xj
        })
      })
    }
    const [bias = 0, gap = 0, nll = 0] = solve(curvature, gradient)
    calibration = { bias: calibration.bias - bias, gap: calibration.gap - gap, nll: calibration.nll - nll }
    if (Math.abs(bias) + Math.abs(gap) + Math.abs(nll) < 1e-9) break
  }
  return calibration
}

/** Solves a small symmetric positive definite system by Gaussian elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0])
  const n = rows.length
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 0; i < n; i++) {
    for (let k = i + 1; k < n; k++) {
      const factor = at(k, i) / at(i, i)
      rows[k] = (rows[k] ?? []).map((value, j) => value - factor * at(i, j))
    }
  }
  const solution = Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    const known = solution.reduce((sum, value, j) => (j > i ? sum + at(i, j) * value : sum), 0)
    solution[i] = (at(i, n) - known) / at(i, i)
  }
  return solution
}
