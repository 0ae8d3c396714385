import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import type { Appeal } from '#chain/challenges/appeals.ts'
import type { Settlement } from '#chain/votes/readSettlements.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { Models } from '../checking/proofs.ts'
import type { PeerNode } from '../peerNode.ts'
import { auditRound } from './auditor.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const [honest, liar, silent] = [word('11'), word('12'), word('13')]
const [fair, false1] = [word('21'), word('22')]
const ROUND = 7
/** A score that is not found for want of its base. */
const LACKING = -1

/** Findings of an auditor about three peers: one scored right, one 900 for work that is worth nothing, one whose work is unavailable. */
async function auditThree(maxAppeals: number, scored: Partial<Record<Hex, number>> = {}) {
  const clock = createManualClock()
  const appealed: Appeal[] = []
  const said: { message: string; evaluators?: Hex[] }[] = []
  const settled: Settlement[] = [honest, liar, silent].map(peerKey => ({
    ...{ peerKey, scoreMilli: 900, votes: 2, outcome: 'scored', block: 1 },
  }))
  const chain = {
    account: word('0a'),
    readRolloutCommitments: async () => settled.map(({ peerKey }, ordinal) => ({ peerKey, ordinal })),
    // The last peer is settled when it is looked for again.
    readSettlements: async () => settled.slice(0, clock.nowMs() === 0 ? 2 : 3),
    readRevealedVotes: async () => [
      { shard: 0, evaluatorKey: fair, scoresMilli: [900, 0, UNAVAILABLE] },
      { shard: 0, evaluatorKey: false1, scoresMilli: [900, 900, UNAVAILABLE] },
      { shard: 1, evaluatorKey: fair, scoresMilli: [900, 900, 900] },
    ],
    readCase: async () => ({ level: 0 }),
    readAppealBond: async () => 1n,
    readBalance: async () => 100n,
    appealScore: async (appeal: Appeal) => {
      appealed.push(appeal)
      return { status: 'mined', hash: word('01'), block: 1 }
    },
  }
  const found: Partial<Record<Hex, number>> = { [honest]: 890, [liar]: 0, [silent]: UNAVAILABLE, ...scored }
  const write = (line: string) => said.push(JSON.parse(line))
  const node = {
    ...{ chain, clock, journal: createJournal(openDatabase(':memory:'), clock), signal: new AbortController().signal },
    ...{ auditCounts: new Map(), appealCounts: new Map(), chainId: 1, identity: { peerKey: word('0b') } },
    logger: createLogger({ write, format: 'json', level: 'info', clock }),
  } as unknown as PeerNode
  const until = new AbortController()
  const score = async (_: PeerNode, __: Models, { peerKey }: { peerKey: Hex }) => {
    const foundMilli = found[peerKey]
    if (foundMilli === LACKING) return { lacksBase: word('66') }
    if (foundMilli === undefined) throw new Error('the worker died')
    return foundMilli
  }
  const audit = { maxAppeals, score, round: ROUND, until: until.signal, roundMs: 4_000, endsAtMs: 2_000 }
  const over = auditRound(node, {} as Models, audit, 1_000)
  while (clock.sleepers() === 0) await new Promise(resolve => setImmediate(resolve))
  clock.advance(1_000)
  await over
  return { counts: Object.fromEntries(node.auditCounts), appealed, said }
}

test('an auditor tells right from wrong, names who voted wrong, and appeals it', async () => {
  const { counts, appealed, said } = await auditThree(2)
  expect(counts).toEqual({ rounds: 1, right: 1, wrong: 1, unchecked: 1 })
  expect(appealed).toEqual([{ round: ROUND, peerKey: liar, level: 1, dueRound: ROUND + 3, bondWei: 1n }])
  expect(said).toContainEqual(expect.objectContaining({ message: 'a settled score is wrong', evaluators: [false1] }))
})

test('work over a base that it does not hold is counted by itself, and its base is told', async () => {
  const { counts, appealed, said } = await auditThree(2, { [liar]: LACKING, [honest]: LACKING })
  expect(counts).toEqual({ rounds: 1, unchecked: 1, 'no base': 2 })
  expect(appealed).toEqual([])
  const message = 'it cannot check settled scores of policies over bases that it does not hold'
  expect(said).toContainEqual(expect.objectContaining({ message, round: ROUND, bases: { [word('66')]: 2 } }))
})

test('without appeals it tells what it found, and nothing is sent', async () => {
  expect(await auditThree(0)).toMatchObject({ counts: { wrong: 1 }, appealed: [] })
})

test('work that cannot be read again is unchecked, and the others are audited', async () => {
  const { counts, appealed } = await auditThree(2, { [honest]: undefined as never })
  expect(counts).toEqual({ rounds: 1, wrong: 1, unchecked: 2 })
  expect(appealed).toHaveLength(1)
})
