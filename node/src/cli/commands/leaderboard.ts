import { isAddress } from 'viem'
import type { Command, Values } from '../command.ts'
import { environment } from '../environment.ts'
import type { Page } from '../leaderboard/importLeaderboard.ts'
import { unknownWord } from '../nearest.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { dataOption, dataUsage, networkOptions, networkUsage, openDeployment } from '../options/networkOptions.ts'
import { whole } from '../options/wholeNumber.ts'
import { UsageError } from '../usageError.ts'
import { withReader } from '../withSession.ts'

const text = { type: 'string' } as const
/** What the contract takes in all. */
const MAX_ROWS = 10_000
/** More rows than there can be peers. */
const EVERYBODY = Number.MAX_SAFE_INTEGER
const actions = ['show', 'read', 'import']

/** The swarm's leaderboard; and RL Swarm's, from its chain into a new swarm. */
export const leaderboard: Command = {
  usage: `npx waggle leaderboard [show] [OPTIONS]
npx waggle leaderboard read|import FILE [OPTIONS]

  show                print every peer by its points, including those of rounds that are not final yet; needs no keys
  read FILE           write RL Swarm's total rewards and wins of each peer at one block to FILE: --from, --coordinator. A search
                      that was stopped resumes; if the endpoint no longer has the block's state, a newer block is used
  import FILE         import FILE into a swarm before its round 3, page by page: propose each page to the timelock, and run it again after
                      the delay to import them. WAGGLE_DEPLOYER_KEY holds the private key of the account that deployed

  --from URL          read: an RPC endpoint of RL Swarm's chain
  --coordinator ADDRESS
                      read: its SwarmCoordinator
  --from-block N      read: the block of its deployment (default 0)
  --limit N           show: peers to print, most points first (default: all); read: rows to keep, highest rewards first (default and
                      most ${MAX_ROWS})
  --dry-run           import: print what would be sent
${dataUsage}
${networkUsage}
  --json              print one JSON object on the last line`,
  options: {
    ...{ ...dataOption, ...networkOptions, from: text, coordinator: text, 'from-block': text, limit: text },
    ...{ 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
  },
  positionals: [],
  morePositionals: ['ACTION', 'FILE'],
  async run(
    { json, from, coordinator, limit, 'from-block': fromBlock, 'dry-run': dry, ...flags },
    [action = 'show', file],
  ) {
    const asJson = json === true
    if (!actions.includes(action)) throw unknownWord('action', action, actions)
    if (action === 'show') return show(flags, file, { asJson, limit: whole('limit', limit, EVERYBODY, EVERYBODY) })
    if (file === undefined)
      throw new UsageError(`leaderboard ${action} needs FILE.`, { hint: 'See npx waggle leaderboard --help.' })
    if (action === 'read') {
      if (typeof from !== 'string')
        throw new UsageError('--from is missing.', { hint: "Name an endpoint of RL Swarm's chain." })
      if (typeof coordinator !== 'string' || !isAddress(coordinator))
        throw new UsageError('--coordinator must be an address.', { hint: "Name RL Swarm's SwarmCoordinator, 0x…" })
      const bounds = {
        fromBlock: whole('from-block', fromBlock, 0, Number.MAX_SAFE_INTEGER, 0),
        limit: whole('limit', limit, MAX_ROWS, MAX_ROWS),
      }
      return read(file, { rpcUrl: from, coordinator, ...bounds }, asJson)
    }
    return importFile(loadConfig(flags), file, { isDry: dry === true, asJson })
  },
}

type Shown = { asJson: boolean; limit: number }

async function show(flags: Values, file: string | undefined, { asJson, limit }: Shown): Promise<void> {
  if (file !== undefined)
    throw new UsageError(`leaderboard show does not take '${file}'.`, { hint: 'It prints to standard output.' })
  const { listStandings } = await import('../leaderboard/readLeaderboard.ts')
  const { block, standings } = await withReader(flags, session => listStandings(session, limit))
  if (asJson) return console.log(JSON.stringify({ block, standings }))
  for (const { rank, pointsMilli, name, peerId } of standings)
    console.log(`${String(rank).padStart(5)} ${(pointsMilli / 1000).toFixed(2).padStart(9)}  ${name} (${peerId})`)
  console.log(`as of block ${block}; points include rounds that are not final yet`)
}

type Source = { rpcUrl: string; coordinator: `0x${string}`; fromBlock: number; limit: number }

async function read(file: string, source: Source, asJson: boolean): Promise<void> {
  const { readRlSwarm } = await import('../leaderboard/readLeaderboard.ts')
  const { writeLeaderboard } = await import('../leaderboard/leaderboardFile.ts')
  const { unfit, beyondLimit, ...found } = await readRlSwarm({ ...source, partPath: `${file}.part` }, line =>
    process.stderr.write(`${line}\n`),
  )
  await writeLeaderboard(file, found)
  const { rows, ...at } = found
  if (asJson) return console.log(JSON.stringify({ file, ...at, rows: rows.length, unfit, beyondLimit }))
  console.log(`${rows.length} rows of block ${at.block} in ${file}`)
  if (beyondLimit > 0)
    console.log(`${beyondLimit} peers with lower rewards were left out: ${source.limit} rows are the most`)
  if (unfit > 0) console.log(`${unfit} peers were left out: their ids or totals are too large`)
}

async function importFile(config: Config, file: string, { isDry, asJson }: { isDry: boolean; asJson: boolean }) {
  const { readLeaderboard } = await import('../leaderboard/leaderboardFile.ts')
  const { importLeaderboard } = await import('../leaderboard/importLeaderboard.ts')
  const { rows } = await readLeaderboard(file)
  const owner = { ...openDeployment(config), key: isDry ? null : environment.deployerKey() }
  const pages = await importLeaderboard(owner, rows, page => {
    if (!asJson) console.log(lineOf(page))
  })
  if (asJson) return console.log(JSON.stringify({ file, rows: rows.length, pages }))
  const waiting = pages.filter(({ state }) => state === 'waiting')
  const readyAtSec = Math.max(0, ...waiting.map(({ readyAtSec }) => readyAtSec ?? 0))
  if (readyAtSec > 0) console.log(`Call it again after ${new Date(readyAtSec * 1000).toISOString()} to import them.`)
}

function lineOf({ first, rows, state, readyAtSec, hash }: Page): string {
  const until = readyAtSec === null ? '' : ` until ${new Date(readyAtSec * 1000).toISOString()}`
  const sent = hash === null ? '' : ` (${hash})`
  return `rows ${first + 1} to ${first + rows}: ${state}${state === 'waiting' ? until : ''}${sent}`
}
