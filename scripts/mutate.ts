/** `npm run mutate`: changes the contracts in one place at a time and counts the changes that no Solidity test notices. */
import { basename, resolve } from 'node:path'
import { readCommandLine } from './base/commandLine.ts'
import { equivalents } from './mutate/equivalents.ts'
import { findMutants, type Mutant } from './mutate/findMutants.ts'
import { openJudge } from './mutate/judgeProcess.ts'
import { matchEquivalents } from './mutate/matchEquivalents.ts'
import { options, usage } from './mutate/options.ts'
import { orderMutants } from './mutate/orderMutants.ts'
import { readSources } from './mutate/readSources.ts'
import { testsOf } from './mutate/testsOf.ts'
import { mutantId, openTried, type Tried } from './mutate/tried.ts'

const root = resolve(import.meta.dirname, '..')
const { values } = readCommandLine({ usage, options })
const { sample } = values

const tried = openTried(resolve(root, values.data, 'tried.jsonl'))
const endsAtMs = performance.now() + values.minutes * 60_000
const sources = readSources(root, isWanted)
// A contract that the table lacks ends the run here, and not after an hour.
for (const file of sources.keys()) testsOf(basename(file, '.sol'))
const all = [...sources].flatMap(([file, source]) => findMutants(file, source))
const listed = equivalents.filter(({ file }) => isWanted(basename(file, '.sol')))
const equivalent = matchEquivalents(sources, all, listed)
const done: Tried[] = []
const leftOut: Mutant[] = []
let isComplete = true
const judging = openJudge(root)
for (const mutant of orderMutants(sources, all, values.seed)) {
  const counted = done.filter(({ verdict }) => verdict !== 'invalid').length
  if (counted >= sample) break
  if (equivalent.has(mutant)) {
    leftOut.push(mutant)
    continue
  }
  const source = sources.get(mutant.file) as string
  const id = mutantId(source, mutant)
  const known = tried.known.get(id)
  // A survivor is tried again: a test may have come since.
  if (known !== undefined && known.verdict !== 'survived') {
    done.push(known)
    continue
  }
  if (performance.now() > endsAtMs) {
    isComplete = false
    break
  }
  const result = { ...mutant, id, ...(await judging.judge(mutant, source)) }
  tried.add(result)
  done.push(result)
  console.log(`${`${counted + 1}`.padStart(4)} ${result.verdict.padEnd(9)} ${describe(mutant)}`)
}
judging.close()
report()

function isWanted(name: string): boolean {
  return values.only === undefined || values.only.split(',').includes(name)
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
  const minutes = done.reduce((sum, { cpuSec }) => sum + cpuSec, 0) / 60
  console.log(`${counted.length} of ${all.length} mutants tried, ${caught} caught (${percent.toFixed(1)} %)`)
  console.log(`${leftOut.length} equivalent, see scripts/mutate/equivalents.ts`)
  console.log(`${minutes.toFixed(1)} minutes of one core`)
  if (values.json)
    console.log(
      JSON.stringify({
        mutants: all.length,
        tried: counted.length,
        caught,
        survivors: survivors.map(describe),
        equivalent: leftOut.map(describe),
        cpuMinutes: minutes,
      }),
    )
  // A run that its time has stopped has to be continued: that is not a verdict.
  process.exitCode = isComplete ? 0 : 2
}
