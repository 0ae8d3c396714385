import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { parseSpec } from '#environments/builtIn.ts'
import { describeTokenizer } from '#environments/chatTokenizer.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import { examples, small, solverMessage } from '#environments/reasoning/kind.ts'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { startLiveSwarm } from './liveSwarm.ts'

const EVERY = 20
/** Files, timers or rows that may be in use at one moment and not at another. */
const MAX_MORE = 5

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Rows of each table of a peer's journal. */
function rowsIn(data: string): Record<string, number> {
  const db = new DatabaseSync(join(data, JOURNAL_FILE), { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const rows = tables.map(({ name }) => [name, Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n)])
  db.close()
  return Object.fromEntries(rows)
}

const openFilesOf = (pid: number | 'self') => readdirSync(`/proc/${pid}/fd`).length

/** Processes of models that this one has started. */
function modelProcesses(): number[] {
  const children = readdirSync('/proc/self/task').flatMap(task => {
    return readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' ')
  })
  const isModel = (pid: string) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('policyWorker')
  return children.filter(isModel).map(Number)
}

function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return 1024 * Number(kib)
}

type Measured = { bytes: Record<'heap' | 'resident' | 'models', number>; held: Record<string, number> }

/** All that a peer holds which could grow with its age. */
function measure(data: string): Measured {
  collect()
  const resources = process.getActiveResourcesInfo()
  const models = modelProcesses()
  return {
    bytes: {
      heap: process.memoryUsage().heapUsed,
      resident: process.memoryUsage().rss,
      models: models.reduce((sum, pid) => sum + residentBytes(pid), 0),
    },
    held: {
      openFiles: openFilesOf('self'),
      openFilesOfModels: models.reduce((sum, pid) => sum + openFilesOf(pid), 0),
      timers: resources.filter(kind => kind === 'Timeout').length,
      handles: resources.filter(kind => kind !== 'Timeout' && kind !== 'Immediate').length,
      files: readdirSync(data, { recursive: true }).length,
      ...rowsIn(data),
    },
  }
}

type Limits = {
  /** Round of the first of three measurements after the start, and of the first with a full journal and outbox. */
  warmFrom: number
  fullFrom: number
  rounds: number
  /** Between the lowest of the first three measurements and the lowest of the last three. */
  maxGrowth: Partial<Measured['bytes']>
}

/** Measures at every 20th round, and compares at the end. */
function watchGrowth(data: string, { warmFrom, fullFrom, rounds, maxGrowth }: Limits) {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const at = new Map<number, Measured>()
  return {
    after(round: number): void {
      if (round % EVERY === 0) at.set(round, measure(data))
    },
    compare(): void {
      for (const [what, limit] of Object.entries(maxGrowth) as [keyof Measured['bytes'], number][]) {
        const lowest = (from: number) =>
          Math.min(...[from, from + EVERY, from + 2 * EVERY].map(round => at.get(round)?.bytes[what] ?? Number.NaN))
        const all = [...at].map(([round, { bytes }]) => `${round}: ${bytes[what]}`).join(', ')
        expect(lowest(rounds - 2 * EVERY) - lowest(warmFrom), `${what}: ${all}`).toBeLessThan(limit)
      }
      const [before, after] = [at.get(fullFrom)?.held, at.get(rounds)?.held]
      for (const [what, many] of Object.entries(after ?? {}))
        expect(many, what).toBeLessThanOrEqual((before?.[what] ?? 0) + MAX_MORE)
      expect(warnings).not.toContain('MaxListenersExceededWarning')
    },
  }
}

test('an evaluator holds no more after 300 rounds than before', { timeout: 3_000_000 }, async () => {
  const rounds = 300
  const swarm = await startLiveSwarm({ roundSeconds: 400 })
  onTestFinished(() => swarm.stop())
  const evaluator = await swarm.newPeer('evaluator')
  await swarm.admit(evaluator)
  await swarm.enter(0)
  await evaluator.start('evaluator')
  // The outbox keeps 500 calls, two a round, and the journal the facts of 200 rounds. One measurement of the heap varies by 3 MB.
  const limits = { warmFrom: 40, fullFrom: 260, rounds, maxGrowth: { heap: 4_000_000 } }
  const growth = watchGrowth(evaluator.data, limits)
  for (let round = 1; round <= rounds; round++) {
    // Slowly from where a beacon is due, so that it is not late for it.
    await swarm.enter(round, 0.15)
    growth.after(round)
  }
  growth.compare()
})

/** Digits and the end of a turn, in the tokenizer of the tests. */
const says = [...Array.from({ length: 10 }, (_, digit) => 15 + digit), 422]

/** A tiny base, and rules by which solvers sample 16 short answers a round. */
async function tinyBase() {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-leaks-'))
  await writeChatModel(folder, 'small', { says })
  const tokenizer = await describeTokenizer(folder)
  const spec = parseSpec({
    ...small,
    ...{ bases: [await readBaseHash(folder)], tasksPerRound: 2, groupSize: 8, owedLeaves: 16, sampledLeaves: 16 },
    weights: { format: 0.5, accuracy: 0.5 },
    prompts: { format: 'chat', ...tokenizer, solver: solverMessage, examples },
  })
  return { spec, modelFolder: folder, judgeFolder: null }
}

test('solvers that learn from each other hold no more after 260 rounds than before', {
  timeout: 6_000_000,
}, async () => {
  const rounds = 260
  const swarm = await startLiveSwarm({ roundSeconds: 400, chat: await tinyBase() })
  onTestFinished(() => swarm.stop())
  const peers = [await swarm.newPeer('one'), await swarm.newPeer('other')] as const
  const solvers = [
    await peers[0].start('solver', { adapter: { rank: 4 } }),
    await peers[1].start('solver', { adapter: { rank: 2 } }),
  ]
  await swarm.enter(0)
  // Three calls a round, and policies are kept for 16 rounds, facts and answers for 200.
  const limits = { warmFrom: 60, fullFrom: 220, rounds, maxGrowth: { heap: 4_000_000 } }
  const growth = watchGrowth(peers[0].data, limits)
  let learned = 0
  for (let round = 1; round <= rounds; round++) {
    // Slowly from where a beacon is due, so that none is late for it.
    await swarm.enter(round, 0.15)
    await Promise.all(solvers.map(({ said }) => said('policy named', { round: round + 1 })))
    // Keys count from round 2 on.
    if (round < 2) continue
    const reports = await Promise.all(solvers.map(({ said }) => said('learned', { round })))
    learned += reports.filter(({ taken, updates }) => Number(taken) > 0 && updates === 2).length
    growth.after(round)
  }
  // A round without a right answer, or with a late one, has less.
  expect(learned).toBeGreaterThan(1.6 * rounds)
  growth.compare()
})
