import { calibrate } from '../calibrate.ts'
import type { Stage } from './stage.ts'

/** Calibrates the judge as it is before hardening, so that solvers can be trained against it. */
export const calibrationStage: Stage = async context => {
  const calibration = await calibrate(await context.work.model('judge-plain'), context)
  await context.work.writeJson('judge-plain-calibration', calibration)
  return { ...calibration }
}
