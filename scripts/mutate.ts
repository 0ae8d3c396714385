/** `npm run mutate`: changes the contracts in one place at a time and counts the changes that no Solidity test notices. */
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { randomStream } from '../node/src/core/random.ts'
import { applyMutant, findMutants, type Mutant } from './mutate/findMutants.ts'
import { testsOf } from './mutate/testsOf.ts'
import { mutantId, openTried, type Tried } from './mutate/tried.ts'
import { openWorkFolder, type WorkFolder } from './solidity/workFolder.ts'

const usage = `npm run mutate -- [options]

  --sample N    mutants to try, those of earlier runs included (150)
  --seed TEXT   draws the sample (waggle)
  --minutes N   stop then; the next run goes on (55)
  --only NAME   contracts whose file's name holds this
  --data DIR    where verdicts are kept (.waggle/mutate)
  --json        one line of JSON at the end
  --help        this`

const root = resolve(import.meta.dirname, '..')
const { values: options } = parseArgs({
  options: {
    sample: { type: 'string', default: '150' },
    seed: { type: 'string', default: 'waggle' },
    minutes: { type: 'string', default: '55' },
    only: { type: 'string', default: '' },
    data: { type: 'string', default: '.waggle/mutate' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(usage)
  process.exit(0)
}

const tried = openTried(resolve(root, options.data, 'tried.jsonl'))
const endsAtMs = performance.now() + Number(options.minutes) * 60_000
const sources = readSources(join(root, 'contracts', 'src'))
const all = [...sources].flatMap(([file, source]) => findMutants(file, source))
const order = shuffled(all)
const sample = Number(options.sample)
const done: Tried[] = []
let work: WorkFolder | null = null
for (const mutant of order) {
  const counted = done.filter(({ verdict }) => verdict !== 'invalid').length
  if (counted >= sample) break
  const source = sources.get(mutant.file) as string
  const id = mutantId(source, mutant)
  const known = tried.known.get(id)
  if (known !== undefined) {
    done.push(known)
    continue
  }
  if (performance.now() > endsAtMs) break
  work ??= openWorkFolder(root, join(tmpdir(), `waggle-mutate-${process.pid}`))
  const result = { ...mutant, id, verdict: await judge(work, mutant, source) }
  tried.add(result)
  done.push(result)
  console.log(`${`${counted + 1}`.padStart(4)} ${result.verdict.padEnd(9)} ${describe(mutant)}`)
}
work?.remove()
report()

function readSources(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.sol') && !name.startsWith('interfaces') && name.includes(options.only))
    .sort()
  return new Map(files.map(name => [join('contracts', 'src', name), readFileSync(join(folder, name), 'utf8')]))
}

function shuffled(mutants: readonly Mutant[]): Mutant[] {
  const random = randomStream('mutate', options.seed)
  const left = [...mutants]
  return mutants.map(() => left.splice(random.integer(left.length), 1)[0] as Mutant)
}

async function judge(folder: WorkFolder, mutant: Mutant, source: string): Promise<Tried['verdict']> {
  folder.write(mutant.file, applyMutant(source, mutant))
  const { passed, compiled } = await folder.test(testsOf(basename(mutant.file, '.sol')))
  folder.write(mutant.file, source)
  if (!compiled) return 'invalid'
  return passed ? 'survived' : 'caught'
}

function describe({ file, line, before, after }: Mutant): string {
  return `${file}:${line} "${before.trim()}" -> "${after.trim()}"`
}

function report(): void {
  const counted = done.filter(({ verdict }) => verdict !== 'invalid')
  const survivors = counted.filter(({ verdict }) => verdict === 'survived')
  for (const survivor of survivors) console.log(`survived: ${describe(survivor)}`)
  const caught = counted.length - survivors.length
  const percent = counted.length === 0 ? 0 : (100 * caught) / counted.length
  console.log(`${counted.length} of ${all.length} mutants tried, ${caught} caught (${percent.toFixed(1)} %)`)
  if (options.json)
    console.log(
      JSON.stringify({ mutants: all.length, tried: counted.length, caught, survivors: survivors.map(describe) }),
    )
  // Fewer than were asked for is a run to go on with, not a verdict.
  process.exitCode = counted.length < Math.min(sample, all.length) ? 2 : 0
}
