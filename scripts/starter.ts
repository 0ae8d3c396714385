/**
 * Makes the starter models from nothing: `npm run starter`. Each stage runs in its own process and leaves its output
 * in the work folder. A run that was stopped resumes with the first unfinished stage.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readCommandLine } from './base/commandLine.ts'
import type { Bar } from './starter/bars.ts'
import { options, usage } from './starter/options.ts'
import { fullSettings, settingsHash, smokeSettings } from './starter/settings.ts'
import { type StageName, stageOrder } from './starter/stages/stageOrder.ts'
import { stages } from './starter/stages/stages.ts'
import { type Marker, openWorkFolder } from './starter/workFolder.ts'

const root = resolve(import.meta.dirname, '..')
const { values } = readCommandLine({ usage, options })

const settings = values.smoke ? smokeSettings : fullSettings
const { seed, threads } = values
const work = openWorkFolder(
  resolve(values.work ?? join(root, 'node_modules/.cache', values.smoke ? 'waggle-starter-smoke' : 'waggle-starter')),
)
const out = resolve(values.out ?? (values.smoke ? join(work.path, 'models') : join(root, 'node/models/starter')))
const hash = settingsHash(settings, seed)
const say = (line: string) => process.stderr.write(`${line}\n`)

async function runStageHere(name: StageName): Promise<void> {
  const startedMs = performance.now()
  const result = await stages[name]({
    settings,
    seed,
    work,
    out,
    threads,
    say: line => say(`${name}: ${line}`),
    now: () => performance.now(),
  })
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  await work.writeJson(`${name}.done`, { hash, seconds, result } satisfies Marker)
  say(`${name}: done in ${seconds} s ${JSON.stringify(result)}`)
}

async function runStageApart(name: StageName, threads: number): Promise<void> {
  if ((await work.json<Marker>(`${name}.done`))?.hash === hash) return
  const args = [
    import.meta.filename,
    '--stage',
    name,
    '--work',
    work.path,
    '--seed',
    String(seed),
    '--threads',
    String(threads),
  ]
  if (values.smoke) args.push('--smoke')
  if (values.out) args.push('--out', resolve(values.out))
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  process.once('exit', () => child.kill())
  await new Promise<void>((done, fail) => {
    child.on('error', fail)
    child.on('exit', code => (code === 0 ? done() : fail(new Error(`stage ${name} ended with ${code}`))))
  })
}

async function main(): Promise<void> {
  if (values.stage) return runStageHere(values.stage)
  for (const group of stageOrder) {
    const each = group.length > 1 ? 1 : threads
    await Promise.all(group.map(name => runStageApart(name, each)))
  }
  const { bars } = JSON.parse(await readFile(join(out, 'report.json'), 'utf8')) as { bars: Bar[] }
  const lines = bars.map(
    ({ what, bar, measured, holds }) => `${holds ? 'holds' : 'FAILS'}  ${what}: ${measured} (${bar})`,
  )
  process.stdout.write(values.json ? `${JSON.stringify({ out, bars })}\n` : `${lines.join('\n')}\nmodels in ${out}\n`)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
await main()
