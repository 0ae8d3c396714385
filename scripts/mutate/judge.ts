/** The process that judges mutants, one message each. */
import type { Mutant } from './findMutants.ts'
import { InvalidMutant, judgeMutant } from './judgeMutant.ts'
import { EXHAUSTED } from './judgeProcess.ts'
import type { Verdict } from './tried.ts'

/** Several times what the tests of any contract take. */
const MOST_BYTES = 4 * 2 ** 30
const MOST_CPU_SEC = 120

const [, , root = '.'] = process.argv
let before = process.cpuUsage()
setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES || cpuSec() > MOST_CPU_SEC) process.exit(EXHAUSTED)
}, 100)

process.on('message', async ({ mutant, source }: { mutant: Mutant; source: string }) => {
  before = process.cpuUsage()
  const verdict = await judge(mutant, source)
  process.send?.({ verdict, cpuSec: cpuSec() })
  before = process.cpuUsage()
})
process.on('disconnect', () => process.exit(0))

async function judge(mutant: Mutant, source: string): Promise<Verdict> {
  try {
    return await judgeMutant(root, mutant, source)
  } catch (error) {
    if (error instanceof InvalidMutant) return 'invalid'
    throw error
  }
}

function cpuSec(): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
