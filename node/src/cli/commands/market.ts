import { z } from 'zod'
import type { MarketSession } from '#roles/games/marketSession.ts'
import type { GamePlan } from '#roles/games/playMarket.ts'
import type { ReadSession } from '#roles/readSession.ts'
import type { CommandAction, Values } from '../command.ts'
import { defineCommand, required } from '../defineCommand.ts'
import { knownAction } from '../nearest.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { jsonOption, numberOption, textOption } from '../options/optionKinds.ts'
import { readYaml } from '../options/readYaml.ts'
import { showResult } from '../showResult.ts'
import { UsageError } from '../usageError.ts'
import { withReader, withSession } from '../withSession.ts'

const amount = z.string().regex(/^\d+(\.\d+)?$/, 'not an amount of tokens, such as 2.5')
const seconds = z
  .int()
  .min(1)
  .max(30 * 86_400)

const planSchema = z.strictObject({
  question: z.string().min(1).max(500),
  choices: z.array(z.string().min(1).max(60)).min(2).max(16),
  clues: z.array(z.string().min(1).max(1_000)).min(1).max(32),
  answer: z.string(),
  /** Long enough for the transaction to be mined before betting begins. */
  startsInSec: seconds.default(60),
  bettingSec: seconds.default(600),
  revealSec: seconds.default(300),
  disputeSec: seconds.default(3_600),
  minBet: amount.default('0.01'),
  freeShares: amount.default('0.1'),
  bond: amount.default('10'),
  /** The Judge's share of the losing stakes if the answer stands, in basis points. */
  feeBps: z.int().min(0).max(500).default(200),
})

const actions = [
  {
    name: 'games',
    text: "list all games, newest first: state, next step, stakes, and what the folder's account, if there is one, can claim and is owed. --json has exact amounts, times in Unix seconds, and prices: tokens per share in the current or next betting round, null once betting is over",
  },
  { name: 'show', text: "print a game's question, its choices by name, and the clues revealed so far: --game" },
  { name: 'quote', text: 'what a bet would buy and pay if no other bet followed: --game, --choice, --stake' },
  { name: 'bet', text: 'bet on a choice in the current betting round: --game, --choice, --stake' },
  { name: 'claim', text: 'claim the payout of a position: --game' },
  {
    name: 'create',
    text: 'open a game as its Judge: --file; clues and answer stay in the folder until they are revealed',
  },
  { name: 'reveal', text: 'reveal the clue that is due, or the answer, with its proof: --game' },
  {
    name: 'cancel',
    text: 'end a game with refunds; the bond goes to the bettors, if there are any. While bets are taken, anyone who sees the call can bet first: if nobody has bet yet, wait until no bets are taken: --game',
  },
  { name: 'resolve', text: 'end a game that is due: --game' },
  { name: 'dispute', text: "dispute an answer, with a bond as large as the Judge's: --game" },
  { name: 'draw', text: 'draw the committee of a dispute: --game' },
  { name: 'verdict', text: 'as a seat of the committee: commit to a choice, later reveal it: --game, --choice' },
  { name: 'withdraw', text: 'withdraw returned bonds and rewards' },
] as const satisfies readonly CommandAction[]
type Action = (typeof actions)[number]['name']

/** Optional fields of a game's file. */
const planDefaults = Object.entries(planSchema.shape)
  .filter(([, schema]) => schema instanceof z.ZodDefault)
  .map(([name]) => name)

const own = {
  game: numberOption('number of the game'),
  choice: numberOption('number of the choice, from 0'),
  stake: amount.optional().meta({ value: 'AMOUNT', description: 'tokens, such as 2.5' }),
  file: textOption(
    'FILE',
    `YAML: question, choices, clues, answer (one of the choices); and, with defaults, ${planDefaults.join(', ')}`,
  ),
  ...jsonOption,
}

/** Reads from the prediction market, which need only a network, and calls from the account of a peer's folder. */
export const market = defineCommand({
  usage: 'npx waggle market ACTION [OPTIONS]',
  about: "games, show and quote only read the chain; the other actions send from the account in the peer's folder.",
  own,
  peer: peerOnChain,
  actions,
  positionals: ['ACTION'],
  async run({ json, ...asked }, [action = ''], flags) {
    const known = knownAction(action, actions)
    const run = await bind(known, asked)
    const found = await run(flags)
    if (json) return showResult(found as object, true)
    const lines = await linesOf(known, found)
    if (lines === null) showResult(found as object, false)
    else console.log(lines.join('\n'))
  },
})

/** Text of a reading action's result; null for the actions that send, whose result is short. */
async function linesOf(action: Action, found: unknown): Promise<string[] | null> {
  const { gameLines, oneGameLines, quoteLines } = await import('../status/gameLines.ts')
  if (action === 'games') return gameLines(found as Parameters<typeof gameLines>[0])
  if (action === 'show') return oneGameLines(found as Parameters<typeof oneGameLines>[0])
  return action === 'quote' ? quoteLines(found as Parameters<typeof quoteLines>[0]) : null
}

type Asked = Omit<z.infer<z.ZodObject<typeof own>>, 'json'>
type Act = (values: Values) => Promise<unknown>

/** Checks the options of an action before anything is opened. */
async function bind(action: Action, asked: Asked): Promise<Act> {
  const [play, { listGames }, { showGame }] = await Promise.all([
    import('#roles/games/playMarket.ts'),
    import('../status/listGames.ts'),
    import('../status/showGame.ts'),
  ])
  const game = () => BigInt(required('game', asked.game, 'npx waggle market games lists them.'))
  const choice = () => required('choice', asked.choice)
  const stake = () => required('stake', asked.stake)
  const acts: Readonly<Record<Action, () => Act>> = {
    games: () => read(listGames),
    show: () => read(bound(showGame, game())),
    quote: () => read(bound(play.quote, game(), choice(), stake())),
    bet: () => send(bound(play.placeBet, game(), choice(), stake())),
    claim: () => send(bound(play.claim, game())),
    create: () => send(bound(play.openGame, readPlan(required('file', asked.file)))),
    reveal: () => send(bound(play.reveal, game())),
    cancel: () => send(bound(play.act, 'cancel', game())),
    resolve: () => send(bound(play.act, 'resolve', game())),
    draw: () => send(bound(play.act, 'drawCommittee', game())),
    dispute: () => send(bound(play.dispute, game())),
    verdict: () => send(bound(play.giveVerdict, game(), choice())),
    withdraw: () => send(play.withdraw),
  }
  return acts[action]()
}

function bound<Session, Args extends unknown[]>(
  run: (session: Session, ...args: Args) => Promise<unknown>,
  ...args: Args
): (session: Session) => Promise<unknown> {
  return session => run(session, ...args)
}

/** Needs only a network. */
function read(run: (session: ReadSession) => Promise<unknown>): Act {
  return values => withReader(values, run)
}

/** Needs the account of a peer's folder. */
function send(run: (session: MarketSession) => Promise<unknown>): Act {
  return async values => {
    const { openMarketSession } = await import('#roles/games/marketSession.ts')
    return withSession(values, openMarketSession, run)
  }
}

function readPlan(file: string): GamePlan {
  try {
    return planSchema.parse(readYaml(file))
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause
    const why = cause.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    throw new UsageError(`${file} is not a valid game: ${why}.`, { hint: 'See npx waggle market --help.', cause })
  }
}
