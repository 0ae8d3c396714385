/** `npm run chaos`: a local swarm of real processes that are killed at random. See `--help`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { QUICK, type Row, WHOLE } from './chaos/extent.ts'
import { runChaos } from './chaos/runChaos.ts'
import { readCommandLine, readCount } from './commandLine.ts'

const usage = `npm run chaos [-- OPTIONS]

Starts a swarm on this machine and kills its processes at random: peers, gateway, indexer, chain. Then it waits until the swarm is
idle. Committed work must be settled with a score, nothing may have been sent twice, waggle audit must find no difference, and the
index must equal one that is built from scratch. Exit code 1 if a row misses its bar.

  --quick            ${QUICK.kills} kills in ${QUICK.rounds} rounds instead of ${WHOLE.kills} in ${WHOLE.rounds}
  --round-seconds N  length of a round; raise it on a busy machine (default ${WHOLE.roundSeconds}, with --quick ${QUICK.roundSeconds})
  --seed TEXT        seed of times and victims (default 1)
  --keep             keep the swarm's folder with its logs
  --json             print one line of JSON at the end
  --help             print this`

const { values } = readCommandLine(usage, {
  options: {
    quick: { type: 'boolean', default: false },
    'round-seconds': { type: 'string' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
const data = await mkdtemp(join(tmpdir(), 'waggle-chaos-'))
const say = (line: string) => console.error(line)
let rows: Row[] = []
try {
  const extent = values.quick ? QUICK : WHOLE
  const asked = values['round-seconds']
  const roundSeconds = asked === undefined ? extent.roundSeconds : readCount('round-seconds', asked, usage)
  rows = await runChaos({ extent: { ...extent, roundSeconds }, seed: values.seed, data, stop, say })
} catch (error) {
  console.error(`chaos: ${(error as Error).message}`)
} finally {
  if (values.keep) say(`kept in ${data}`)
  else await rm(data, { recursive: true, force: true })
}
for (const { name, value, unit, bar, ok } of rows)
  console.log(`${ok ? 'ok  ' : 'MISS'} ${name} ${value} ${unit} (bar ${bar})`)
if (values.json) console.log(JSON.stringify({ rows }))
process.exit(rows.length > 0 && rows.every(({ ok }) => ok) ? 0 : 1) // sockets may keep the process alive
