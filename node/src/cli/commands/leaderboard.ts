import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { feeSettings } from '#chain/outbox/feeSettings.ts'
import type { CommandAction, Values } from '../command.ts'
import { atMost, defineCommand, required } from '../defineCommand.ts'
import { environment } from '../environment.ts'
import type { Page } from '../leaderboard/importLeaderboard.ts'
import { knownAction } from '../nearest.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openOwned } from '../options/networkOptions.ts'
import { count, flag, jsonOption, textOption } from '../options/optionKinds.ts'
import { UsageError } from '../usageError.ts'
import { withReader } from '../withSession.ts'

/** Rows that the contract accepts in total. */
const MAX_ROWS = 10_000
const actions = [
  {
    name: 'show',
    text: 'print every peer by its points, including those of rounds that are not final yet; needs no keys',
  },
  {
    name: 'read',
    arguments: 'FILE',
    text: "write RL Swarm's total rewards and wins of each peer at one block to FILE: --from, --coordinator. A search that was stopped resumes; if the endpoint no longer has the block's state, a newer block is used",
  },
  {
    name: 'import',
    arguments: 'FILE',
    text: 'import FILE into a swarm before its round 3, page by page: propose each page to the timelock, and run it again after the delay to import them. WAGGLE_DEPLOYER_KEY holds the private key of the account that deployed',
  },
] as const satisfies readonly CommandAction[]

const own = {
  from: textOption('URL', "read: an RPC endpoint of RL Swarm's chain"),
  coordinator: z
    .custom<Address>(text => isAddress(String(text)), 'not an address, 0x and 40 hexadecimal digits')
    .optional()
    .meta({ value: 'ADDRESS', description: 'read: its SwarmCoordinator' }),
  'from-block': count(0).default(0).meta({ value: 'N', description: 'read: the block of its deployment' }),
  limit: count(1)
    .optional()
    .meta({
      value: 'N',
      description: `show: peers to print, most points first (default: all); read: rows to keep, highest rewards first (default and most ${MAX_ROWS})`,
    }),
  'dry-run': flag('import: print what would be sent'),
  ...jsonOption,
}

/** The swarm's leaderboard; and RL Swarm's, from its chain into a new swarm. */
export const leaderboard = defineCommand({
  usage: `npx waggle leaderboard [show] [OPTIONS]
npx waggle leaderboard read|import FILE [OPTIONS]`,
  own,
  peer: { ...peerOnChain, ...feeSettings },
  actions,
  morePositionals: ['ACTION', 'FILE'],
  async run({ json: asJson, from, coordinator, limit, ...asked }, [word = 'show', file], flags) {
    const action = knownAction(word, actions)
    if (action === 'show') return show(flags, file, { asJson, limit: limit ?? Number.MAX_SAFE_INTEGER })
    if (file === undefined)
      throw new UsageError(`leaderboard ${action} needs FILE.`, { hint: 'See npx waggle leaderboard --help.' })
    if (action === 'import') return importFile(loadConfig(flags), file, { isDry: asked['dry-run'], asJson })
    const source = {
      rpcUrl: required('from', from, "Name an endpoint of RL Swarm's chain."),
      coordinator: required('coordinator', coordinator, "Name RL Swarm's SwarmCoordinator, 0x…"),
    }
    return read(
      file,
      { ...source, fromBlock: asked['from-block'], limit: atMost('limit', limit ?? MAX_ROWS, MAX_ROWS) },
      asJson,
    )
  },
})

type Shown = { asJson: boolean; limit: number }

async function show(flags: Values, file: string | undefined, { asJson, limit }: Shown): Promise<void> {
  if (file !== undefined)
    throw new UsageError(`leaderboard show does not take '${file}'.`, { hint: 'It prints to standard output.' })
  const { listStandings } = await import('../leaderboard/readLeaderboard.ts')
  const { block, standings } = await withReader(flags, session => listStandings(session, limit))
  if (asJson) return console.log(JSON.stringify({ block, standings }))
  console.log(' rank    points  peer')
  for (const { rank, pointsMilli, name, peerId } of standings)
    console.log(`${String(rank).padStart(5)} ${(pointsMilli / 1000).toFixed(2).padStart(9)}  ${name} (${peerId})`)
  console.log(`as of block ${block}; points include rounds that are not final yet`)
}

type Source = { rpcUrl: string; coordinator: Address; fromBlock: number; limit: number }

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
    console.log(`${beyondLimit} peers with lower rewards were left out: the limit is ${source.limit} rows`)
  if (unfit > 0) console.log(`${unfit} peers were left out: their ids or totals are too large`)
}

async function importFile(config: Config, file: string, { isDry, asJson }: { isDry: boolean; asJson: boolean }) {
  const { readLeaderboard } = await import('../leaderboard/leaderboardFile.ts')
  const { importLeaderboard } = await import('../leaderboard/importLeaderboard.ts')
  const { rows } = await readLeaderboard(file)
  const owner = { ...openOwned(config), key: isDry ? null : environment.deployerKey() }
  const pages = await importLeaderboard(owner, rows, page => {
    if (!asJson) console.log(lineOf(page))
  })
  if (asJson) return console.log(JSON.stringify({ file, rows: rows.length, pages }))
  const waiting = pages.filter(({ state }) => state === 'waiting')
  const readyAtSec = Math.max(0, ...waiting.map(({ readyAtSec }) => readyAtSec ?? 0))
  if (readyAtSec > 0) console.log(`Run it again after ${new Date(readyAtSec * 1000).toISOString()} to import them.`)
}

function lineOf({ first, rows, state, readyAtSec, hash }: Page): string {
  const until = readyAtSec === null ? '' : ` until ${new Date(readyAtSec * 1000).toISOString()}`
  const sent = hash === null ? '' : ` (${hash})`
  return `rows ${first + 1} to ${first + rows}: ${state}${state === 'waiting' ? until : ''}${sent}`
}
