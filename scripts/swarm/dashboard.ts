import { dashboardBuild } from '../../dashboard/dashboardBuild.ts'
import type { Managed, Supervisor } from './processes/supervisor.ts'
import { answers, waitFor } from './waitFor.ts'

/** Serving takes 148 MB with these limits and up to 274 without, at the same speed. */
const HEAP = ['--max-semi-space-size=8', '--max-old-space-size=96']

/** Tests of a swarm take the build of the dashboard's own tests. */
const openBuild = () => dashboardBuild(process.env.WAGGLE_DASHBOARD_BUILD ?? '.next')

/** Builds the dashboard unless what is there was built from the same sources. */
export async function buildDashboard(supervisor: Supervisor): Promise<void> {
  const { isCurrent, make, env, stamp } = await openBuild()
  if (isCurrent) return
  const build = await supervisor.start(
    { name: 'dashboard-build', command: process.execPath, argv: make, env },
    () => {},
  )
  const status = await build.exited
  if (status !== 0) throw new Error(`the dashboard did not build (${status}); see ${build.logPath}`)
  await stamp()
}

interface DashboardSettings {
  port: number
  env: Record<string, string>
}

export async function startDashboard(
  supervisor: Supervisor,
  { port, env }: DashboardSettings,
  onExit: (status: number | string) => void,
  signal: AbortSignal,
): Promise<Managed> {
  const build = await openBuild()
  const managed = await supervisor.start(
    {
      name: 'dashboard',
      command: process.execPath,
      argv: [...HEAP, ...build.serve(port)],
      env: { ...env, ...build.env },
    },
    onExit,
  )
  await waitFor(managed, () => answers(`http://127.0.0.1:${port}/`), 300_000, signal)
  return managed
}
