import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { gamePhases } from '#chain/games/readGame.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { clues, type EventQuery, HEAD, marketScene, rules, type SceneGame } from '../../../test/marketScene.ts'
import { type Bettor, createGameChooser, playGames } from '../bettor/betOnGames.ts'
import { noteBet, type ownBets, riskLeft } from '../bettor/ownBets.ts'
import { judgeOpenDisputes } from '../evaluator/startEvaluator.ts'
import { createJudge, judgeGames, keepOwnGames, ownGames } from '../judge/judge.ts'
import type { MarketSession } from './marketSession.ts'
import { truthOf } from './playedGame.ts'

const phase = (name: (typeof gamePhases)[number]) => gamePhases.indexOf(name)
const junk = Array.from({ length: 20 }, (): SceneGame => ({ phase: phase('waiting') }))
const bettor = (list: readonly SceneGame[], balance?: number) => ({
  ...marketScene(list, balance),
  believe: async () => [0.01, 0.98, 0.01],
  perGame: 2,
})
const play = async (one: Bettor) => playGames(one, await createGameChooser(one.session)(100))
/** Numbers of games whose texts are read from now on, once for each time. */
function textsRead({ client }: MarketSession): string[] {
  const { rpc } = client as unknown as { rpc: { getContractEvents: (query: EventQuery) => unknown } }
  const { getContractEvents } = rpc
  const asked: string[] = []
  rpc.getContractEvents = query => {
    if (query.eventName === 'GameCreated') asked.push(String(query.args?.gameId))
    return getContractEvents(query)
  }
  return asked
}

const ownBet = { staked: 1, round: 0, isOver: false }
const bets = ({ state }: { state: ReadonlyMap<string, unknown> }) =>
  (state.get('bets') ?? {}) as ReturnType<typeof ownBets>

test('choices or clues that join to the same text are not the same question', () => {
  const asked = { question: 'Which?', choices: ['a', 'b', 'c'] }
  expect(truthOf(rules, { asked, clues })).toBe(1)
  expect(truthOf(rules, { asked: { ...asked, choices: ['a\nb', 'c'] }, clues })).toBe(2)
  expect(truthOf(rules, { asked, clues: [clues.join('\0')] })).toBe(3)
})

describe('events that lag behind the state', () => {
  test('make no bettor dispute an answer that is right', async () => {
    const scene = bettor([{ phase: phase('disputable'), toldClues: 1 }])
    scene.state.set('bets', { 0: ownBet })
    await play(scene)
    expect(scene.sent).toEqual([])
  })
})

describe('a flood of junk games', () => {
  test('does not keep a bettor from its winnings', async () => {
    const scene = bettor([{ phase: phase('resolved'), claimable: 3 }, ...junk])
    scene.state.set('bets', { 0: ownBet })
    await play(scene)
    expect(scene.sent).toEqual(['claim 0'])
  })

  test('does not make a bettor forget a bet that is not paid', async () => {
    const later = junk.map((): SceneGame => ({ phase: phase('void') }))
    const scene = bettor([{ phase: phase('betting'), stakes: [1, 1, 1] }, ...later])
    scene.state.set('bets', Object.fromEntries([ownBet, ...later.map(() => ownBet)].map((bet, id) => [id, bet])))
    await play(scene)
    expect(scene.state.get('bets')).toHaveProperty('0')
  })

  test('does not hide a game that is worth a bet, and has no texts of its own read', async () => {
    const open = { phase: phase('betting'), stakes: [1, 1, 1] }
    const dust = Array.from({ length: 20 }, (): SceneGame => ({ ...open, bond: 1e-6 }))
    const scene = bettor([open, ...dust])
    const told = textsRead(scene.session)
    await play(scene)
    expect(scene.sent).toEqual(['bet 0'])
    expect(told).toEqual(['0'])
  })

  test('has none of the games that take months read', async () => {
    const months = [{ phase: phase('betting'), bettingSec: 2_592_000 }]
    const choose = (roundSec: number) => createGameChooser(bettor(months).session)(roundSec)
    expect(await choose(100)).toEqual([])
    expect(await choose(86_400)).toEqual([0n])
  })

  test('has no game chosen whose answer may be disputed for months', async () => {
    const months = { phase: phase('betting'), disputeSec: 2_592_000 }
    expect(await createGameChooser(bettor([months, { ...months, disputeSec: 3_600 }]).session)(100)).toEqual([1n])
  })

  test('does not hide a dispute from the seats', async () => {
    const scene = marketScene([{ phase: phase('disputed'), disputedAt: HEAD }, ...junk])
    await judgeOpenDisputes(scene, 100)
    expect(scene.sent).toEqual(['drawCommittee 0'])
  })
})

test('a dispute that stays open for months has its texts read once for a verdict', async () => {
  const scene = marketScene([{ phase: phase('disputed'), disputedAt: HEAD, isDrawn: true }])
  // Source of a seat's salt.
  const session = { ...scene.session, verdictSalt: () => rules.hash as Hex }
  const told = textsRead(scene.session)
  await judgeOpenDisputes({ ...scene, session }, 100)
  await judgeOpenDisputes({ ...scene, session }, 100)
  expect(scene.sent).toEqual(['commitVerdict 0'])
  expect(told).toEqual(['0'])
})

describe('a seat that is drawn for a game which it cannot judge', () => {
  const disputed = { phase: phase('disputed'), disputedAt: HEAD, isDrawn: true }
  const theirs = { ...disputed, environment: `0x${'22'.repeat(32)}` }
  const verdicts = async (list: readonly SceneGame[]) => {
    const scene = marketScene(list)
    const session = { ...scene.session, verdictSalt: () => rules.hash as Hex }
    const told = textsRead(scene.session)
    const lines: unknown[] = []
    const logger = { ...silentLogger, warn: (line: string, about: unknown) => lines.push([line, about]) }
    for (let poll = 0; poll < 3; poll++) await judgeOpenDisputes({ ...scene, session, logger }, 100)
    return { sent: scene.sent, told, lines }
  }

  test('abstains from one of another environment, with one line, and judges the next', async () => {
    const { sent, told, lines } = await verdicts([theirs, disputed])
    expect(sent).toEqual(['commitVerdict 1'])
    expect(told).toEqual(['0', '1'])
    expect(lines).toEqual([
      [expect.stringMatching(/^no verdict/), { gameId: '0', reason: expect.stringContaining('environment') }],
    ])
  })

  test('reads nothing of one that took months', async () => {
    const { sent, told, lines } = await verdicts([{ ...disputed, bettingSec: 2_592_000 }, disputed])
    expect([sent, told, lines.length]).toEqual([['commitVerdict 1'], ['1'], 1])
  })

  test('waits until its clues are revealed', async () => {
    const { sent, lines } = await verdicts([{ ...disputed, toldClues: 1 }])
    expect([sent, lines]).toEqual([[], []])
  })
})

describe('a game that cannot be read', () => {
  const fault = new Error('the endpoint answers with something else')
  test('keeps no seat from the next dispute', async () => {
    const disputed = { phase: phase('disputed'), disputedAt: HEAD }
    const scene = marketScene([{ ...disputed, fault }, disputed])
    await judgeOpenDisputes(scene, 100)
    expect(scene.sent).toEqual(['drawCommittee 1'])
  })

  test('keeps no Judge from its promises in the next', async () => {
    const scene = marketScene([{ phase: phase('resolution due'), fault }, { phase: phase('resolution due') }], 0)
    keepOwnGames(scene.session, ['0', '1'])
    await judgeGames({ ...scene, drawSeed: () => rules.hash as Hex }, 100)
    expect(scene.sent).toEqual(['resolve 1'])
    expect(ownGames(scene.session)).toContain('0')
  })
})

/** A Judge without games that are being opened. */
const opening = { drawSeed: () => rules.hash as Hex, openings: async () => {} }

test('a game that was opened while its endpoint failed is found, and no second one is opened', async () => {
  const list: SceneGame[] = []
  const scene = marketScene(list)
  const data = await mkdtemp(join(tmpdir(), 'waggle-judge-'))
  onTestFinished(() => rm(data, { recursive: true }))
  async function send(intent: Parameters<typeof scene.session.send>[0]) {
    list.push({ phase: phase('waiting'), isOwn: true, bettingSec: 100 })
    return scene.session.send(intent)
  }
  const judge = createJudge({ ...scene, ...opening, session: { ...scene.session, data, send } })
  // The scene has no receipts.
  await expect(judge(100)).rejects.toThrow()
  await judge(100)
  expect(scene.sent).toEqual([expect.stringContaining('createGame')])
  expect(ownGames(scene.session)).toEqual(['0'])
})

test('a Judge that was stopped while it opened a game waits for its block, and opens no second one', async () => {
  const list: SceneGame[] = []
  const scene = marketScene(list)
  const openings = async () => void list.push({ phase: phase('waiting'), isOwn: true, bettingSec: 100 })
  await createJudge({ ...scene, ...opening, openings })(100)
  expect([scene.sent, ownGames(scene.session)]).toEqual([[], ['0']])
})

test('games that others open hide none of a Judge that starts again', async () => {
  const due: SceneGame = { phase: phase('resolution due'), isOwn: true }
  const scene = marketScene([due, ...junk, ...junk, ...junk, due, ...junk, ...junk], 0)
  await createJudge({ ...scene, ...opening })(100)
  expect(scene.sent).toEqual(['resolve 0', 'resolve 61'])
})

describe('a bet is not placed', () => {
  const game = { phase: phase('betting'), stakes: [1, 1, 1], bond: 5 }
  test('unless its bettor could pay for the dispute of a false answer', async () => {
    const [rich, poor] = [bettor([game], 8), bettor([game], 5)]
    for (const one of [rich, poor]) await play(one)
    expect([rich.sent, poor.sent]).toEqual([['bet 0'], []])
  })

  test('unless its bettor could pay for the disputes of all games that it bets on', async () => {
    const [rich, poor] = [bettor([game, game], 12), bettor([game, game], 8)]
    for (const one of [rich, poor]) await play(one)
    expect([rich.sent, poor.sent]).toEqual([['bet 1', 'bet 0'], ['bet 1']])
  })

  const falseAnswer = { phase: phase('disputable'), choices: ['b', 'a', 'c'] }
  test.each([
    ['is right', { phase: phase('disputable') }, []],
    ['is false, and disputed by it', falseAnswer, ['dispute 0']],
    ['is disputed by others', { phase: phase('disputed') }, []],
  ])('for lack of the bond of another game only until the answer there %s', async (_, answered, sent) => {
    const list: SceneGame[] = [game]
    const scene = bettor(list, 8)
    await play(scene)
    list.push(game)
    await play(scene)
    expect(scene.sent).toEqual(['bet 0'])
    list[0] = { ...game, ...answered }
    await play(scene)
    expect(scene.sent).toEqual(['bet 0', ...sent, 'bet 1'])
  })

  test('if the Judge has less at stake than it could take', async () => {
    const scene = bettor([{ ...game, bond: 3 }])
    await play(scene)
    expect(scene.sent).toEqual([])
  })
})

describe('Judges that select questions which the bettor gets wrong', () => {
  const [friend, other] = [`0x${'cc'.repeat(20)}`, `0x${'dd'.repeat(20)}`] as const
  /** Staked on the last of some games, after the others have ended and paid a multiple of the stakes. */
  async function stakeAfter(ended: readonly { judge: Hex; paid: number }[], judge: Hex) {
    const open: SceneGame = { phase: phase('betting'), bond: 5, stakes: [1, 1, 1] }
    const list: SceneGame[] = []
    const scene = bettor(list)
    const staked = (id: number) => bets(scene)[id]?.staked ?? 0
    for (const [id, { judge, paid }] of ended.entries()) {
      list.push({ ...open, judge })
      await play(scene)
      list[id] = { judge, phase: phase('resolved'), claimable: paid * staked(id) }
      await play(scene)
    }
    list.push({ ...open, judge })
    await play(scene)
    return staked(ended.length)
  }
  const lost = (judge: Hex) => ({ judge, paid: 0 })

  test('take no more than the stakes of a game in a day, from however many accounts', async () => {
    const judges = Array.from({ length: 20 }, (_, at): Hex => `0x${(at + 1).toString(16).padStart(40, '0')}`)
    const first = await stakeAfter([], friend)
    expect(first).toBeGreaterThan(0.5)
    expect(await stakeAfter(judges.map(lost), friend)).toBeLessThan(0.02)
    expect(
      await stakeAfter(
        judges.map(() => lost(friend)),
        friend,
      ),
    ).toBeLessThan(0.02)
  })

  test('leave what was won at another Judge to bets on its games, and stakes that came back cost nothing', async () => {
    const strange = Array.from({ length: 20 }, () => lost(friend))
    const won = { judge: other, paid: 3 }
    expect(await stakeAfter([won, ...strange], other)).toBeGreaterThan(0.5)
    expect(await stakeAfter([won, ...strange], friend)).toBeLessThan(0.02)
    expect(await stakeAfter([{ judge: friend, paid: 1 }], friend)).toBeCloseTo(await stakeAfter([], friend), 5)
  })
})

describe('a bettor that has lost what it may in a day', () => {
  const open: SceneGame = { phase: phase('betting'), bond: 5, stakes: [1, 1, 1] }
  const lostBet = { staked: 2, round: 0, isOver: true, judge: 'a', bond: 5, paid: 0, endedAtSec: HEAD }

  test('bets again a day after the end of its lost game', async () => {
    const list: SceneGame[] = [open]
    const scene = bettor(list)
    await play(scene)
    scene.time.sec += 80_000
    list[0] = { phase: phase('resolved') }
    await play(scene)
    const left = () => riskLeft(bets(scene), '0xb', scene.time.sec, scene.perGame)
    const lost = bets(scene)[0]?.staked ?? 0
    expect(lost).toBeGreaterThan(0.5)
    scene.time.sec += 86_399
    list.push({ ...open, minBet: 0.9 * lost })
    await play(scene)
    expect([left(), scene.sent]).toEqual([scene.perGame - lost, ['bet 0']])
    scene.time.sec += 1
    await play(scene)
    expect(scene.sent).toEqual(['bet 0', 'bet 1'])
  })

  test('reads its bets once a poll, however many have ended', async () => {
    const scene = bettor([])
    scene.state.set('bets', Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [id, lostBet])))
    const { journal } = scene.session
    let reads = 0
    const getState = (key: string) => {
      reads++
      return journal.getState(key)
    }
    await play({ ...scene, session: { ...scene.session, journal: { ...journal, getState } } })
    expect(reads).toBe(1)
  })

  test('remembers it, whatever it was paid back since', () => {
    const { session, state } = marketScene([])
    const back = { ...lostBet, staked: 1, paid: 1 }
    noteBet(session, 0n, lostBet)
    for (let gameId = 1n; gameId < 300n; gameId++) noteBet(session, gameId, back)
    expect(bets({ state })).toEqual({ 0: lostBet })
    noteBet(session, 300n, { ...back, isOver: false, endedAtSec: 0 })
    noteBet(session, 301n, { ...lostBet, endedAtSec: HEAD + 86_400 })
    expect(Object.keys(bets({ state }))).toEqual(['300', '301'])
  })
})

describe('a bet', () => {
  test('that was refused counts for nothing once its game has ended', async () => {
    const list: SceneGame[] = [{ phase: phase('betting'), bond: 5, stakes: [1, 1, 1] }]
    const scene = bettor(list)
    const send = () => Promise.reject(new Error('the game takes no bets'))
    await play({ ...scene, session: { ...scene.session, send } })
    expect(bets(scene)[0]?.staked).toBeGreaterThan(0.5)
    list[0] = { phase: phase('void') }
    await play(scene)
    expect(bets(scene)).toEqual({})
  })

  test('is paid if its Judge does not resolve the game, with the next poll', async () => {
    const list: SceneGame[] = [{ phase: phase('resolution due') }]
    const scene = bettor(list)
    scene.state.set('bets', { 0: ownBet })
    await play(scene)
    expect(scene.sent).toEqual(['resolve 0'])
    list[0] = { phase: phase('resolved'), claimable: 3 }
    await play(scene)
    expect(scene.sent).toEqual(['resolve 0', 'claim 0'])
  })

  test('keeps its payout if the answer to its claim is lost', async () => {
    const list: SceneGame[] = [{ phase: phase('betting'), bond: 5, stakes: [1, 1, 1] }]
    const scene = bettor(list)
    await play(scene)
    list[0] = { phase: phase('resolved'), claimable: 3 }
    const send = () => Promise.reject(new Error('no answer'))
    await play({ ...scene, session: { ...scene.session, send } })
    const { staked } = bets(scene)[0] ?? {}
    // As after a claim: the position is gone.
    list[0] = { phase: phase('resolved') }
    scene.placed.clear()
    await play(scene)
    expect(bets(scene)[0]).toMatchObject({ staked, paid: 3, isOver: true, endedAtSec: HEAD })
  })
})
