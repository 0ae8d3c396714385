/** `npm run chaos`: a local swarm of real processes that are killed at random. See `--help`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine } from '../node/model/src/engine/devices/describeMachine.ts'
import { readCommandLine } from './base/commandLine.ts'
import { chaosRowNames, QUICK, type Row, WHOLE } from './chaos/extent.ts'
import { options, usage } from './chaos/options.ts'
import { runChaos } from './chaos/runChaos.ts'
import { keepResults, measuredOn } from './measure/results.ts'

const { values } = readCommandLine({ usage, options })

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
const data = await mkdtemp(join(tmpdir(), 'waggle-chaos-'))
const say = (line: string) => console.error(line)
let rows: Row[] = []
try {
  const extent = values.quick ? QUICK : WHOLE
  const roundSeconds = values['round-seconds'] ?? extent.roundSeconds
  rows = await runChaos({ extent: { ...extent, roundSeconds }, seed: values.seed, data, stop, say })
} catch (error) {
  console.error(`chaos: ${(error as Error).message}`)
} finally {
  if (values.keep) say(`kept in ${data}`)
  else await rm(data, { recursive: true, force: true })
}
for (const { name, value, unit, bar, ok } of rows)
  console.log(`${ok ? 'ok  ' : 'MISS'} ${name} ${value} ${unit} (bar ${bar})`)
if (values.json) {
  console.log(JSON.stringify({ rows }))
  const when = { date: new Date().toISOString().slice(0, 10), machine: measuredOn(await describeMachine()) }
  const folder = join(import.meta.dirname, '../docs/benchmarks')
  if (!values.quick && rows.length > 0) await keepResults(folder, 'chaos', chaosRowNames, rows, when)
}
process.exit(rows.length > 0 && rows.every(({ ok }) => ok) ? 0 : 1) // sockets may keep the process alive
