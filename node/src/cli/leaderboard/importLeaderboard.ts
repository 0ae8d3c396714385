import { phase } from '@waggle/deployments/protocol'
import { encodeFunctionData, type Hex, keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NodeError } from '#base/errors.ts'
import { callChain } from '#chain/callChain.ts'
import { connectChain } from '#chain/connectChain.ts'
import { type Contracts, contractsOf } from '#chain/contracts.ts'
import { operationArgs, operationId, readDelay, readStanding } from '#chain/governance/timelock.ts'
import type { LeaderboardRow } from '#chain/peers/readRlSwarm.ts'
import type { AccountKey } from '#core/hashes.ts'
import { callAsOwner, type Owner, type OwnersQuestion } from '../account/callAsOwner.ts'

/** A page of rows in one transaction, about 7 million gas. */
const ROWS_IN_PAGE = 200
const SALT = keccak256(stringToHex("RL Swarm's leaderboard"))

/**
 * The state of a page: `missing` until it is proposed to the timelock, `waiting` during the delay in which everybody can check it, `ready` to be
 * imported, `imported`.
 */
type PageState = 'missing' | 'waiting' | 'ready' | 'imported'
export type Page = { first: number; rows: number; state: PageState; readyAtSec: number | null; hash: Hex | null }

/** The delay ends after the round from which nothing is imported. */
export class ImportTooLateError extends NodeError {
  override readonly code = 'IMPORT_TOO_LATE'
}

/**
 * Advances each page of an import by one step: proposes it to the timelock, or imports it once the delay has passed. Idempotent: calling it
 * again after the delay does the rest.
 *
 * @param key - the deployer's; null only reads.
 * @throws {ImportTooLateError} before anything is sent, and as {@link callAsOwner}.
 */
export async function importLeaderboard(
  { key, ...question }: OwnersQuestion & { key: AccountKey | null },
  rows: readonly LeaderboardRow[],
  said: (page: Page) => void,
): Promise<Page[]> {
  const owner = key === null ? null : { ...question, key }
  const chain = await openImport(question, owner)
  const pages: Page[] = []
  for (let first = 0; first < rows.length; first += ROWS_IN_PAGE) {
    const part = rows.slice(first, first + ROWS_IN_PAGE)
    const found = await chain.stateOf(part)
    const page: Page = { first, rows: part.length, ...found, hash: null }
    if (owner !== null) Object.assign(page, await chain.step(owner, part, page))
    said(page)
    pages.push(page)
  }
  return pages
}

type Rows = readonly LeaderboardRow[]

async function openImport(question: OwnersQuestion, owner: Owner | null) {
  const client = await connectChain(question)
  const contracts = contractsOf(question.deployment)
  const { swarmCoordinator, rounds } = contracts
  const { rpc, rpcUrl } = client
  const call = <T>(work: () => Promise<T>) => callChain(rpcUrl, work)
  const account = owner && privateKeyToAccount(owner.key).address
  // Under a schedule that is ended by hand the deployer owns it itself.
  const isDirect =
    account !== null &&
    (await call(async () => {
      const role = await rpc.readContract({ ...swarmCoordinator, functionName: 'OWNER_ROLE' })
      return rpc.readContract({ ...swarmCoordinator, functionName: 'hasRole', args: [role, account] })
    }))

  async function stateOf(part: Rows): Promise<Pick<Page, 'state' | 'readyAtSec'>> {
    const peerId = part[0]?.peerId ?? ''
    const [isImported] = await call(() =>
      rpc.readContract({ ...swarmCoordinator, functionName: 'importedOf', args: [peerId] }),
    )
    if (isImported) return { state: 'imported', readyAtSec: null }
    if (isDirect) return { state: 'ready', readyAtSec: null }
    const { state, readyAtSec } = await readStanding(client, contracts, operationId(operation(contracts, part)))
    // An executed operation is reported as imported above.
    return { state: state === 'done' ? 'imported' : state, readyAtSec }
  }

  /** No row is imported once round 0 can be settled. */
  async function requireTime(delaySec: bigint): Promise<void> {
    const { timeSec } = await client.heads.read()
    const closesAtSec = await call(() =>
      rpc.readContract({ ...rounds, functionName: 'startOf', args: [BigInt(phase.settling)] }),
    )
    if (BigInt(timeSec) + delaySec < closesAtSec) return
    const [ready, closes] = [BigInt(timeSec) + delaySec, closesAtSec].map(sec =>
      new Date(Number(sec) * 1000).toISOString(),
    )
    throw new ImportTooLateError(
      `A proposal made now could be executed from ${ready} on, and round ${phase.settling} begins at ${closes}.`,
      {
        hint: 'A leaderboard is imported before the first settlement. Deploy with --starts-at later than the delay of the timelock.',
      },
    )
  }

  async function step(by: Owner, part: Rows, { state }: Page): Promise<Partial<Page>> {
    if (state === 'missing') {
      const delaySec = BigInt(await readDelay(client, contracts))
      await requireTime(delaySec)
      const hash = await callAsOwner(by, at => ({
        ...{ ...at.timelock, functionName: 'schedule', args: [...operation(at, part), delaySec] },
      }))
      return { ...(await stateOf(part)), hash }
    }
    if (state !== 'ready') return {}
    const hash = await callAsOwner(by, at =>
      isDirect
        ? { ...at.swarmCoordinator, functionName: 'importLeaderboard', args: [part] }
        : { ...at.timelock, functionName: 'execute', args: operation(at, part) },
    )
    return { state: 'imported', readyAtSec: null, hash }
  }

  return { stateOf, step }
}

/** Target, value, data, predecessor and salt of a page's operation in the timelock. */
function operation({ swarmCoordinator }: Contracts, part: Rows) {
  const data = encodeFunctionData({ ...swarmCoordinator, functionName: 'importLeaderboard', args: [part] })
  return operationArgs({ target: swarmCoordinator.address, value: 0n, data }, SALT)
}
