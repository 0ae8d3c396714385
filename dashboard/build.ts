/** `npm run build -w @waggle/dashboard`: builds the pages, unless those that are there were built from the same sources. */
import { spawnSync } from 'node:child_process'
import { dashboardBuild } from './dashboardBuild.ts'

const { isCurrent, make, env, stamp } = await dashboardBuild('.next')
if (!isCurrent) {
  const { status } = spawnSync(process.execPath, make, { stdio: 'inherit', env: Object.assign({}, process.env, env) })
  if (status !== 0) process.exit(status ?? 1)
  await stamp()
}
