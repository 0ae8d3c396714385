import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPolicy } from '../../node/src/roles/models/isPolicy.ts'
import type { SwarmOptions } from './options.ts'
import type { SwarmPeer } from './peers.ts'
import type { Played } from './playedEnvironment.ts'
import { logTail, type Supervisor } from './processes/supervisor.ts'

const cli = join(import.meta.dirname, '..', '..', 'node', 'src', 'cli', 'main.ts')

/** Answers to a task. */
const SAMPLES = 8
/** Unless the run holds another level or the environment names one. */
const DEFAULT_LEVEL = 3

export interface HeldOut {
  level: number
  tasks: number
  solvers: { name: string; before: number; after: number }[]
}

/**
 * Progress of each solver in this run: pass@1 on the fixed held-out tasks, by execution or by the environment's program, before and
 * after, with the same sampling seeds.
 *
 * @param startedWith - for each solver's slot, the policy that it began with; null for the model as it is.
 */
export async function measureHeldOut(
  supervisor: Supervisor,
  peers: SwarmPeer[],
  startedWith: Map<string, string | null>,
  { options, played }: { options: SwarmOptions; played: Played },
  signal: AbortSignal,
): Promise<HeldOut> {
  const isStarter = played.argv.length === 0
  const level = options.level ?? (isStarter ? DEFAULT_LEVEL : played.environment.spec.canary.level)
  const tasks = options['held-out']
  const solvers = peers.filter(({ role }) => role === 'solver')
  const pairs = solvers.map(({ slot, name, folder }) => {
    const [before, kept] = [startedWith.get(slot) ?? 'starter', join(folder, 'policy')]
    // A solver that saved nothing is as it began.
    return { name, before, after: isPolicy(kept) ? kept : before }
  })
  const policies = [...new Set(pairs.flatMap(({ before, after }) => [before, after]))]
  const argv = [cli, 'eval', '--level', String(level), '--tasks', String(tasks), '--samples', String(SAMPLES), '--json']
  argv.push(...played.argv)
  for (const policy of policies) argv.push('--policy', policy)
  const run = await supervisor.start({ name: 'held-out', command: process.execPath, argv })
  const stop = () => void run.stop()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const status = await run.exited
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (status !== 0) throw new Error(`the measurement failed (${status}):\n${await logTail(run.logPath)}`)
  const last = (await readFile(run.logPath, 'utf8')).trimEnd().split('\n').at(-1) ?? ''
  const { policies: measured } = JSON.parse(last) as { policies: { policy: string; passAt1: number }[] }
  const passAt1 = (policy: string) => measured.find(one => one.policy === policy)?.passAt1 ?? 0
  return {
    level,
    tasks,
    solvers: pairs.map(({ name, before, after }) => ({ name, before: passAt1(before), after: passAt1(after) })),
  }
}
