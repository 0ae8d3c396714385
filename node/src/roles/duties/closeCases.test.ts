import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { SeatsToJudge } from '#chain/challenges/judgeSeats.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import type { Models } from '../checking/proofs.ts'
import { judgeAppeals } from '../evaluator/judgeAppeals.ts'
import type { PeerNode } from '../peerNode.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const mined: TxOutcome = { status: 'mined', hash: word('01'), block: 1 }
const due = { round: 1, peerKey: word('11'), level: 2, openedRound: 7, closesFrom: 10, isClosed: false } as AppealCase
const seats = { round: 1, peerKey: word('11'), level: 2, positions: [0, 1] }

/** A node that meets a case which is due, and what it logs. */
function nodeWith(judged: () => Promise<TxOutcome>) {
  const stop = new AbortController()
  const lines: string[] = []
  const write = (text: string) => {
    lines.push(JSON.parse(text).message)
  }
  const logger = createLogger({ write, format: 'json', level: 'info', clock: createManualClock(0) })
  const chain = {
    readAppeals: async () => [due],
    closeAppeal: async () => mined,
    readSeatsToJudge: async () => [seats],
    judgeSeats: judged,
  }
  const node = { chain, logger, signal: stop.signal } as unknown as PeerNode
  return { lines, stop, run: () => judgeAppeals(node, {} as Models, 10, stop.signal) }
}

test('closing a case judges its seats', async () => {
  const { lines, run } = nodeWith(async () => mined)
  await run()
  await turn()
  expect(lines).toEqual(['case closed', 'seats judged'])
})

test('seats that could not be judged are a warning, and nothing once the node has stopped', async () => {
  const failing = async () => {
    throw new Error('statement has been finalized')
  }
  const running = nodeWith(failing)
  await running.run()
  await turn()
  expect(running.lines).toEqual(['case closed', 'the seats of a case were not judged'])
  const stopped = nodeWith(failing)
  await stopped.run()
  stopped.stop.abort()
  await turn()
  expect(stopped.lines).toEqual(['case closed'])
})

/** Evaluators of a case that somebody else closed in round 10, and did not judge. */
function closedByAnother() {
  const evaluators = ['e1', 'e2', 'e3', 'e4', 'e5'].map(word)
  const sent: { seat: Hex; round: number }[] = []
  let left: SeatsToJudge[] = [seats]
  const nodeOf = (peerKey: Hex, round: number) => {
    const chain = {
      readAppeals: async ({ first, last }: { first: number; last: number }) =>
        [{ ...due, isClosed: true }].filter(({ openedRound }) => first <= openedRound && openedRound <= last),
      readSeats: async () => evaluators,
      readBeacon: async () => ({ state: 'drawn', hash: word('be') }),
      readSeatsToJudge: async () => left,
      async judgeSeats() {
        sent.push({ seat: peerKey, round })
        return mined
      },
    }
    const parts = { chain, chainId: 1, logger: silentLogger, identity: { peerKey } }
    return { ...parts, signal: new AbortController().signal } as unknown as PeerNode
  }
  /** All evaluators look for appeals in a round. */
  async function enter(round: number): Promise<void> {
    for (const peerKey of evaluators) {
      const node = nodeOf(peerKey, round)
      await judgeAppeals(node, {} as Models, round, node.signal)
    }
    await turn()
  }
  const judge = () => {
    left = []
  }
  return { sent, enter, judge }
}

test('the seats of a case that another closed are judged by one evaluator a round, until none is left', async () => {
  const { sent, enter, judge } = closedByAnother()
  for (let round = 11; round < 40; round += 1) await enter(round)
  const rounds = sent.map(({ round }) => round)
  expect(rounds).toEqual(Array.from({ length: 9 }, (_, at) => 11 + at))
  // No coalition short of all of them is drawn each time.
  expect(new Set(sent.map(({ seat }) => seat)).size).toBeGreaterThan(2)
  judge()
  await enter(12)
  expect(sent).toHaveLength(9)
})
