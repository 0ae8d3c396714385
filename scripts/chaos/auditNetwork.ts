import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { RoundAudit } from '../../node/src/roles/audit/auditRound.ts'
import { connect } from '../swarm/chainFacts.ts'
import type { ChaosSwarm } from './chaosSwarm.ts'
import { compareLies, type FoundLies, votesOf } from './plantedLies.ts'

const root = join(import.meta.dirname, '..', '..')
const cli = join(root, 'node', 'src', 'cli', 'main.ts')
/** Votes of a round are opened in the second round after it. */
const OPENED_AFTER = 3

/** Exit codes of an audit that was made: all agrees, something differs, and some scores could not be checked. */
const AUDITED = new Set([0, 1, 69])

/** The evaluator that lies once the harm is over. */
export const LIAR = 'evaluator-1'

type Place = { data: string; signal: AbortSignal }

/** Runs `waggle audit` as somebody who has a record of the deployment, an endpoint, and nothing else. */
async function audit(
  { deploymentPath, rpcUrl }: ChaosSwarm,
  argv: readonly string[],
  { data, signal }: Place,
): Promise<{ code: number | null; out: string; errors: string }> {
  const where = ['--deployment', deploymentPath, '--rpc', rpcUrl, '--data', join(data, 'nobody'), '--json']
  const child = spawn(process.execPath, [cli, 'audit', ...argv, ...where], { cwd: root, signal })
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, out: out.trim(), errors: errors.trim() }
}

/** Audits all points from the votes, and the index with them. */
export async function pointFaults(swarm: ChaosSwarm, place: Place): Promise<string[]> {
  const argv = ['--index', `http://127.0.0.1:${swarm.ports.indexer}`]
  const { code, out, errors } = await audit(swarm, argv, place)
  return code === 0 ? [] : [`audit ${argv.join(' ')} ended with ${code}: ${out} ${errors}`]
}

/**
 * Audits all rounds from what the network keeps, and holds what it says to the lies that were planted from a round on.
 *
 * @param end - the round that the chain is in.
 */
export async function auditLies(
  swarm: ChaosSwarm,
  { from, end, ...place }: Place & { from: number; end: number },
): Promise<FoundLies> {
  const { code, out, errors } = await audit(swarm, ['--round', `1..${end - OPENED_AFTER}`], place)
  if (code === null || !AUDITED.has(code)) throw new Error(`waggle audit ended with ${code}: ${errors}`)
  const audits = out.split('\n').map(line => JSON.parse(line) as RoundAudit)
  const liar = swarm.peers.find(({ slot }) => slot === LIAR)
  if (liar === undefined) throw new Error(`there is no ${LIAR}`)
  const lied = audits.filter(({ round }) => round >= from)
  const planted = await votesOf(connect(swarm.rpcUrl), swarm.deployment.contracts, liar.peerKey, lied)
  return compareLies(planted, audits, { round: from - 1, evaluatorKey: liar.peerKey })
}
