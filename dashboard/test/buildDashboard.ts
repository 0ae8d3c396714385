import { dashboardBuild } from '../dashboardBuild.ts'
import { findChromium } from './findChromium.ts'
import { next, printed, TEST_BUILD } from './next.ts'

/** Vitest runs it once before all browser tests: makes the production build that they share, if the code is newer. */
export default async function buildDashboard(): Promise<void> {
  if (findChromium() === null) return
  const build = await dashboardBuild(TEST_BUILD)
  if (build.isCurrent) return
  await printed(next(build.make, build.env), null)
  await build.stamp()
}
