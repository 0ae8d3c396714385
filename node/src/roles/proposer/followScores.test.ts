import { phase } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { CodeZeroFormat } from '#environments/codezero/promptFormat.ts'
import { difficultySchema } from '#environments/difficulty.ts'
import type { Environment } from '#environments/environment.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { followScores } from './followScores.ts'

const environment = codeZero({
  spec: environmentFrom('qwen', { difficulty: difficultySchema.parse({ startLevel: 2, checkEvery: 3 }) }),
  ...{ format: {} as CodeZeroFormat, solverFolder: '', judgeModel: null },
  openCodeJudge: () => Promise.reject(new RangeError('not asked')),
}) as Environment

/** Every round is solved; the process ends before the write of this number. */
function peer(journal: PeerNode['journal'], endsBefore = Number.POSITIVE_INFINITY) {
  let writes = 0
  const setState: PeerNode['journal']['setState'] = (key, value) => {
    if (++writes >= endsBefore) throw new Error('killed')
    journal.setState(key, value)
  }
  const readSettlements = async () => [{ outcome: 'scored', scoreMilli: 1000 }]
  const node = { chain: { readSettlements }, environment, playsIn: async () => true, journal: { ...journal, setState } }
  return node as unknown as PeerNode
}

test('A process that ends between two writes counts no round twice for the level.', async () => {
  const levels = async (endsBefore: number) => {
    const journal = createJournal(openDatabase(':memory:'), createManualClock())
    const found = [await followScores(peer(journal), phase.opening + 4)]
    await followScores(peer(journal, endsBefore), phase.opening + 5).catch(() => {})
    found.push(await followScores(peer(journal), phase.opening + 5))
    found.push(await followScores(peer(journal), phase.opening + 6))
    return found
  }
  // Three observations decide.
  expect(await levels(Number.POSITIVE_INFINITY)).toEqual([2, 2, 3])
  expect(await levels(1)).toEqual([2, 2, 3])
  expect(await levels(2)).toEqual([2, 2, 3])
})
