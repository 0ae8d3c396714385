import type { NetworkConnection } from 'hardhat/types/network'
import { roundsAbi, stakesAbi } from '../../deployments/abi.ts'
import type { Deployment } from '../../deployments/record.ts'
import { DeployError } from './deployError.ts'
import { type JournalState, wipeStep } from './journal.ts'
import type { NetworkPreset } from './networks.ts'
import type { DeployParameters } from './parameters.ts'

/** The parameters that options can choose. */
export type RoundParameters = Pick<
  DeployParameters,
  'startsAtSec' | 'roundSeconds' | 'environmentHash' | 'bootstrapRounds'
>

/** An absent option keeps the first run's value or the network's default. */
export type RequestedParameters = Partial<RoundParameters>

type Schedule = Pick<RoundParameters, 'startsAtSec' | 'roundSeconds'>

/** Rounds that have ended. Those of a manual schedule wait for a call. */
function endedRounds({ startsAtSec, roundSeconds }: Schedule, nowSec: number): number {
  return roundSeconds === 0 ? 0 : Math.max(0, Math.floor((nowSec - startsAtSec) / roundSeconds))
}

/** @throws {DeployError} if round 0 would be over: bootstrap counts from it, and nobody could take part in it. */
export function requireStartAhead(schedule: Schedule, nowSec: number): void {
  const ended = endedRounds(schedule, nowSec)
  if (ended === 0) return
  const message = `--starts-at ${schedule.startsAtSec} is ${ended} rounds ago by the chain's clock, and bootstrap counts from round 0`
  throw new DeployError('BAD_OPTION', message, `give a time from ${nowSec} on, or leave it out`)
}

/** The first run's parameters, of which a start that has gone by may be left out. */
export type KeptParameters = Omit<DeployParameters, 'startsAtSec'> & Partial<Schedule>

/** The step that fixes the start of round 0. */
const CLOCK = 'Protocol#Rounds'

/**
 * Drops a start of round 0 that has gone by from the first run's parameters, unless a transaction fixed it.
 *
 * @throws {DeployError} if the contract exists, and bootstrap is over: the finished protocol could seat nobody.
 */
export async function keptParameters(
  stored: DeployParameters,
  journal: JournalState,
  { nowSec, journalDir }: { nowSec: number; journalDir: string },
): Promise<KeptParameters> {
  const ended = endedRounds(stored, nowSec)
  if (ended === 0) return stored
  if (!journal.created.Rounds && !journal.open.some(({ futureId }) => futureId === CLOCK)) {
    if (journal.begun.has(CLOCK)) await wipeStep(journalDir, CLOCK)
    const { startsAtSec: _, ...kept } = stored
    return kept
  }
  const { bootstrapRounds, startsAtSec } = stored
  const since = `round 0 began at ${utc(startsAtSec)}`
  if (bootstrapRounds > 0 && ended >= bootstrapRounds) {
    const message = `${since}, and all ${bootstrapRounds} rounds of bootstrap are over: no peer could take a seat`
    throw new DeployError('BOOTSTRAP_OVER', message, `delete ${journalDir} to deploy afresh`)
  }
  console.log(
    `The first run fixed the start: ${since}, and ${ended} of ${bootstrapRounds} rounds of bootstrap are over.`,
  )
  return stored
}

export async function readRoundZero(connection: NetworkConnection, { contracts }: Deployment) {
  const client = await connection.viem.getPublicClient()
  const rounds = { address: contracts.Rounds.address, abi: roundsAbi } as const
  const stakes = { address: contracts.Stakes.address, abi: stakesAbi } as const
  const startOf = async (round: bigint) =>
    Number(await client.readContract({ ...rounds, functionName: 'startOf', args: [round] }))
  const bootstrapRounds = await client.readContract({ ...stakes, functionName: 'bootstrapRounds' })
  const startsAtSec = await startOf(0n)
  const endsAtSec = Number(await client.readContract({ ...rounds, functionName: 'endOf', args: [0n] }))
  const isManual = await client.readContract({ ...rounds, functionName: 'isManual' })
  return {
    startsAtSec,
    roundSeconds: isManual ? 0 : endsAtSec - startsAtSec,
    environmentHash: await client.readContract({ ...rounds, functionName: 'environmentOf', args: [0n] }),
    bootstrapRounds: Number(bootstrapRounds),
    bootstrapEndsAtSec: await startOf(bootstrapRounds),
  }
}

/** When round 0 begins, by which rules, and when bootstrap ends, for people. */
export function roundZeroLines(
  zero: Awaited<ReturnType<typeof readRoundZero>>,
  { timelockSeconds }: Pick<NetworkPreset, 'timelockSeconds'>,
): string[] {
  const { startsAtSec, roundSeconds, environmentHash, bootstrapRounds, bootstrapEndsAtSec } = zero
  const length = roundSeconds === 0 ? 'ended by hand' : `of ${roundSeconds} s`
  const isShort = roundSeconds > 0 && bootstrapEndsAtSec - startsAtSec < 2 * timelockSeconds
  const until = roundSeconds === 0 ? '' : `, until ${utc(bootstrapEndsAtSec)}`
  return [
    `  round 0             from ${utc(startsAtSec)}, ${length}`,
    `  environment         ${environmentHash}`,
    `  bootstrap           ${bootstrapRounds} rounds${until}`,
    ...(isShort ? [`  warning             ${SHORT}`] : []),
  ]
}

const SHORT =
  'bootstrap is shorter than two delays of the timelock: once the deployer renounces the seats, no admission is executed in time'

/** Last second that JavaScript's dates have. */
const LAST_SEC = 8.64e12

function utc(sec: number): string {
  return new Date(Math.min(sec, LAST_SEC) * 1000).toISOString()
}
