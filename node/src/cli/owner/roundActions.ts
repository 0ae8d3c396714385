import { LEAST_BLOCKS_IN_ROUND } from '@waggle/deployments/protocol'
import { callChain } from '#chain/callChain.ts'
import { holdsPower, type Power } from '#chain/governance/powers.ts'
import { readDelay } from '#chain/governance/timelock.ts'
import { revertedWith } from '#chain/revertedWith.ts'
import { type Action, type ActionContext, proposalOf, wholeOf } from './action.ts'
import { ProposalRefusedError } from './openOwner.ts'

const LONGEST_ROUND_SEC = 86_400
/** Nothing is settled in a round's last quarter, and one of less than four seconds has none. */
const LEAST_ROUND_SEC = 4
/** Number of gaps between blocks for the median. */
const GAPS = 8

const clock = (role: string): Power => ({ contract: 'Rounds', role })

/** Owners' changes of rounds that have not begun. */
export const roundActions: Record<string, Action> = {
  environment: {
    takes: ['FILE', 'HASH?'],
    summary: 'change the rules of later rounds to the specification in FILE; HASH, if given, is compared with it',
    async build([file = '', expected], context) {
      const hash = await context.hashOfSpec(file)
      if (expected !== undefined && expected.toLowerCase() !== hash)
        throw new ProposalRefusedError(`The specification in ${file} hashes to ${hash}, not to ${expected}.`, {
          hint: 'Propose the file that everybody has, or the hash of this one: peers that cannot hash what they hold to the hash on the chain stop.',
        })
      const power = clock('ENVIRONMENT_MANAGER_ROLE')
      const round = await roundFor(context, power)
      return proposalOf(context, power, ['setEnvironment', BigInt(round), hash])
    },
  },
  schedule: {
    takes: ['SECONDS'],
    summary: `change the length of later rounds: at least ${LEAST_BLOCKS_IN_ROUND} blocks, at most ${LONGEST_ROUND_SEC} s`,
    async build([seconds = ''], context) {
      const blockSec = await readBlockSeconds(context)
      const least = Math.max(LEAST_ROUND_SEC, LEAST_BLOCKS_IN_ROUND * blockSec)
      const roundSeconds = wholeOf('A round of seconds', seconds, [least, LONGEST_ROUND_SEC])
      const power = clock('SCHEDULE_MANAGER_ROLE')
      const round = await roundFor(context, power)
      return proposalOf(context, power, ['setSchedule', BigInt(round), roundSeconds])
    },
  },
  announce: {
    takes: [],
    summary: "announce the round to RL Swarm's nodes; under a manual schedule, end it",
    build: async (_, context) =>
      proposalOf(context, { contract: 'SwarmCoordinator', role: 'STAGE_MANAGER_ROLE' }, ['updateStageAndRound']),
  },
}

/** The round that was named, if it cannot have begun once the delay has passed; else one that leaves as much time again to execute it. */
async function roundFor(context: ActionContext, power: Power): Promise<number> {
  const { client, contracts, fromRound } = context
  const isDelayed = await holdsPower(client, contracts, power, contracts.timelock.address)
  const waitSec = isDelayed ? await readDelay(client, contracts) : 0
  const { timeSec } = await client.heads.read()
  if (fromRound === null) return roundAfter(context, timeSec + 2 * waitSec)
  const least = await roundAfter(context, timeSec + waitSec)
  if (fromRound >= least) return fromRound
  const when = new Date((timeSec + waitSec) * 1000).toISOString()
  throw new ProposalRefusedError(`Round ${fromRound} has begun at ${when}, when this can be executed.`, {
    hint: `Name ${least} or a later one with --from-round, or leave it out.`,
  })
}

async function roundAfter({ client, contracts }: ActionContext, timeSec: number): Promise<number> {
  const call = { ...contracts.rounds, functionName: 'roundAt', args: [BigInt(timeSec)] } as const
  const round = await callChain(client.rpcUrl, () =>
    client.rpc
      .readContract(call)
      .catch(error => (revertedWith(error)?.startsWith('Rounds_NotStarted') ? -1n : Promise.reject(error))),
  )
  return Number(round) + 1
}

/** Seconds between two blocks: the median of the newest gaps. */
async function readBlockSeconds({ client }: ActionContext): Promise<number> {
  const { number } = await client.heads.read()
  const first = Math.max(0, number - GAPS)
  const blocks = await Promise.all(
    Array.from({ length: number - first + 1 }, (_, index) =>
      callChain(client.rpcUrl, () => client.rpc.getBlock({ blockNumber: BigInt(first + index) })),
    ),
  )
  const times = blocks.map(({ timestamp }) => Number(timestamp))
  const gaps = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .sort((a, b) => a - b)
  return gaps[gaps.length >> 1] ?? 1
}
