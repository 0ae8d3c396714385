import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import type { PeerNode } from '../peerNode.ts'
import { judgeAppeals } from './judgeAppeals.ts'
import type { Models } from './proofs.ts'

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
