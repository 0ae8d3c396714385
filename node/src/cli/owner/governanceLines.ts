import { readableAmount } from '../readableAmount.ts'
import type { ToldOperation } from './operations.ts'
import type { showGovernance } from './showGovernance.ts'

type Governance = Awaited<ReturnType<typeof showGovernance>>

/** Powers over a deployment and their holders, for people. */
export function governanceLines(found: Governance): string[] {
  const { timelock, delaySec, holds, round, roundSeconds, bootstrap, environment, bootnodes, powers, waiting } = found
  const length = roundSeconds === null ? '' : `, of ${roundSeconds} s`
  const widest = Math.max(...powers.map(({ contract, role }) => contract.length + role.length + 1))
  return [
    `timelock     ${timelock}, with a delay of ${delaySec} s`,
    `holds        ${readableAmount(holds.nectar)} Nectar, ${readableAmount(holds.coin)} of the native coin`,
    `round        ${round < 0 ? 'not begun' : round}${length}`,
    `bootstrap    ${bootstrap.rounds} rounds, from ${utc(bootstrap.startsAtSec)} to ${utc(bootstrap.endsAtSec)}`,
    `environment  ${environment}`,
    `bootnodes    ${bootnodes.length === 0 ? 'none' : bootnodes.join('\n             ')}`,
    'powers',
    ...powers.map(({ contract, role, holder }) => `  ${`${contract} ${role}`.padEnd(widest)}  ${holder}`),
    `proposals${waiting.length === 0 ? '    none are open' : ''}`,
    ...waiting.map(operation => `  ${operationLine(operation)}`),
  ]
}

/** Last second that JavaScript's dates have. */
const LAST_SEC = 8.64e12

function utc(sec: number | null): string {
  return sec === null ? 'the round that is ended by hand' : new Date(Math.min(sec, LAST_SEC) * 1000).toISOString()
}

/** A proposal in a line: its id, whether it can be executed, and what it does. */
export function operationLine({ id, state, readyAt, does }: ToldOperation): string {
  const said = {
    waiting: `waiting until ${readyAt}`,
    ready: 'ready to be executed',
    done: 'executed',
    cancelled: 'cancelled',
  }
  return `${id.slice(0, 10)}  ${said[state]}: ${does.join('; ')}`
}
