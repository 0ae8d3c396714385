import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { ChaosSwarm } from './chaosSwarm.ts'

const root = join(import.meta.dirname, '..', '..')
const cli = join(root, 'node', 'src', 'cli', 'main.ts')
/** Bodies are kept for these many rounds at least. */
const KEPT_ROUNDS = 6
/** Votes of a round are opened in the second round after it. */
const OPENED_AFTER = 3

/** What `waggle audit` came to: its exit code, and what it wrote. */
export type Audited = { code: number | null; out: string }

/** Runs `waggle audit` as somebody who has a record of the deployment, an endpoint, and nothing else. */
export async function audit(
  { deploymentPath, rpcUrl }: Pick<ChaosSwarm, 'deploymentPath' | 'rpcUrl'>,
  data: string,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<Audited> {
  const where = ['--deployment', deploymentPath, '--rpc', rpcUrl, '--data', join(data, 'nobody'), '--json']
  const child = spawn(process.execPath, [cli, 'audit', ...argv, ...where], { cwd: root, signal, detached: false })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      out += chunk
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, out: out.trim() }
}

/** Audits all points from the votes, the index with them, and the last rounds from what the network keeps. */
export async function auditFaults(
  swarm: ChaosSwarm,
  { data, end, signal }: { data: string; end: number; signal: AbortSignal },
): Promise<string[]> {
  const index = ['--index', `http://127.0.0.1:${swarm.ports.indexer}`]
  const rounds = ['--round', `${Math.max(1, end - KEPT_ROUNDS)}..${end - OPENED_AFTER}`]
  const faults: string[] = []
  for (const argv of [index, rounds]) {
    const { code, out } = await audit(swarm, data, argv, signal)
    if (code !== 0) faults.push(`audit ${argv.join(' ')} ended with ${code}: ${out}`)
  }
  return faults
}
