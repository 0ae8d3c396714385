import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Audit } from '../../node/src/roles/audit/auditPoints.ts'
import type { RoundAudit } from '../../node/src/roles/audit/auditRound.ts'
import { connect } from '../swarm/chainFacts.ts'
import type { ChaosSwarm } from './chaosSwarm.ts'
import { startLyingFacts } from './lyingFacts.ts'
import {
  aboutIndex,
  aboutSettlement,
  compareLies,
  type Finding,
  type FoundLies,
  findingsOf,
  type Lie,
  liesOfPeers,
  readSettled,
  readVotes,
} from './plantedLies.ts'

const root = join(import.meta.dirname, '..', '..')
const cli = join(root, 'node', 'src', 'cli', 'main.ts')
/** Votes of a round are opened in the second round after it. */
const OPENED_AFTER = 3

/** Exit codes of an audit that was made: all agrees, something differs, and some scores could not be checked. */
const AUDITED = new Set([0, 1, 69])

type Place = { data: string; signal: AbortSignal }

/** Runs `waggle audit` as somebody who has a record of the deployment, an endpoint, and nothing else. */
async function audit(
  { deploymentPath, rpcUrl }: Pick<ChaosSwarm, 'deploymentPath' | 'rpcUrl'>,
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
 * Audits all rounds from what the network keeps, and all points over an endpoint and an index that lie; holds what it says to the lies that
 * were planted.
 *
 * @param from - the first round that peers lie about.
 * @param end - the round that the chain is in.
 */
export async function auditLies(
  swarm: ChaosSwarm,
  { from, end, ...place }: Place & { from: number; end: number },
): Promise<FoundLies> {
  const { code, out, errors } = await audit(swarm, ['--round', `1..${end - OPENED_AFTER}`], place)
  if (code === null || !AUDITED.has(code)) throw new Error(`waggle audit ended with ${code}: ${errors}`)
  const audits = out.split('\n').map(line => JSON.parse(line) as RoundAudit)
  const votes = await readVotes(connect(swarm.rpcUrl), swarm.deployment.contracts)
  const told = liesOfPeers(swarm.peers, audits, votes, from)
  const facts = await auditLyingFacts(swarm, place)
  return compareLies([...told, ...facts.lies], [...findingsOf(audits), ...facts.findings])
}

/** Audits all points by an endpoint that lies about the last settlements, and an index that lies about solvers. */
async function auditLyingFacts(swarm: ChaosSwarm, place: Place): Promise<{ lies: Lie[]; findings: Finding[] }> {
  const { rpcUrl, deployment, ports, peers } = swarm
  const settlements = await readSettled(connect(rpcUrl), deployment.contracts)
  const last = settlements.at(-1)?.round
  const lying = await startLyingFacts({
    ...{ rpcUrl, indexUrl: `http://127.0.0.1:${ports.indexer}` },
    settlements: settlements.filter(({ round }) => round === last),
    peerKeys: peers.filter(({ role }) => role === 'solver').map(({ peerKey }) => peerKey),
  })
  try {
    const there = { ...swarm, rpcUrl: lying.rpcUrl }
    const { code, out, errors } = await audit(there, ['--index', lying.indexUrl], place)
    if (code !== 0 && code !== 1) throw new Error(`waggle audit ended with ${code}: ${errors}`)
    const { findings } = JSON.parse(out) as Audit
    return {
      lies: lying.lies,
      findings: findings.map(found => ({
        about: 'round' in found ? aboutSettlement(found.round, found.peerKey) : aboutIndex(found.peerKey),
        says: `${found.peerKey} ${found.says}`,
      })),
    }
  } finally {
    await lying.close()
  }
}
