import { expect, test } from 'vitest'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { CodeZeroFormat } from '#environments/codezero/promptFormat.ts'
import type { Environment } from '#environments/environment.ts'
import { proposalsOf } from './proposalsOf.ts'
import { propose, type WriteProposals } from './propose.ts'
import { createProposedLately } from './proposedLately.ts'
import { createTaskList } from './taskList.ts'

const peerKey = `0x${'11'.repeat(32)}` as const
const format = { solverPrompt: async () => new Int32Array(1) } as unknown as CodeZeroFormat
const environment = codeZero({
  ...{ spec: environmentFrom('starter', { tasksPerRound: 1 }), format, solverFolder: '', judgeModel: null },
  openCodeJudge: () => Promise.reject(new RangeError('not asked')),
}) as Environment
const proposals = proposalsOf(environment)

const adds = (constant: number, wording = `a plus b, then add ${constant}`) =>
  `Write f(a, b). Return ${wording}.\nassert f(1, 2) == 3`
const proposed = (...texts: string[]) => [
  { peerKey, secret: peerKey, count: texts.length, bytes: encodeProposal({ level: 1, texts }) },
]

test('a recent proposal of any proposer is known by the task that it asks for, read once from the chain, and forgotten after 16 rounds', async () => {
  const reads: number[] = []
  const lately = createProposedLately(
    async round => {
      reads.push(round)
      return round === 2 ? proposed(adds(2)) : round === 4 ? proposed(adds(2), adds(3)) : []
    },
    proposals,
    8,
  )
  expect([...(await lately.before(5)).values()]).toEqual([4, 4])
  expect((await lately.before(4)).size).toBe(1)
  expect(reads).toEqual([0, 1, 2, 3, 4])
  const known = await lately.before(6)
  expect(known.has(await proposals.keyOf(adds(2, 'the sum of a and b, plus 2 at the end')))).toBe(true)
  expect(known.has(await proposals.keyOf(adds(4)))).toBe(false)
  expect((await lately.before(20)).size).toBe(2)
  expect((await lately.before(21)).size).toBe(0)
  expect(new Set(reads).size).toBe(reads.length)
})

test('The memory is bounded, and keeps the newest.', async () => {
  const read = async (round: number) =>
    proposed(...Array.from({ length: 200 }, (_, at) => `no proposal ${round} ${at}`))
  const crowd = async (round: number) => (await Promise.all([round, round, round, round].map(read))).flat()
  const lately = createProposedLately(crowd, { keyOf: async text => `${Math.random()} ${text}` }, 200)
  const known = await lately.before(16)
  expect(known.size).toBe(4_096)
  expect([Math.min(...known.values()), Math.max(...known.values())]).toEqual([8, 15])
})

test('Of a proposal only the tasks that count are remembered', async () => {
  const texts = [2, 3, 4].map(constant => adds(constant))
  const known = async (count: number, most: number) => {
    const read = async () => proposed(...texts).map(proposal => ({ ...proposal, count }))
    return (await createProposedLately(read, proposals, most).before(1)).size
  }
  expect([await known(3, 8), await known(2, 8), await known(3, 1)]).toEqual([3, 2, 1])
})

/** Says its texts in turn, again and again. */
function saying(...texts: string[]) {
  const asked = { samples: 0 }
  const write: WriteProposals = async (_, count) =>
    Array.from({ length: count }, () => ({ text: texts[asked.samples++ % texts.length] as string, ended: true }))
  return { asked, write }
}

async function putUp(count: number, lately: ReadonlyMap<string, number>, ...texts: string[]) {
  const { asked, write } = saying(...texts)
  const list = createTaskList(environment, 1, count, lately)
  await propose(write, environment, 1, list, () => '0x00', new AbortController().signal)
  const fresh = [...list.texts]
  await list.repeat()
  return { fresh, all: list.texts, refused: list.refused, samples: asked.samples }
}

test('A proposer asks for what is new, and only where there is no more of it for what was asked longest ago', async () => {
  const old = new Map<string, number>()
  for (const [at, constant] of [2, 3, 4].entries()) old.set(await proposals.keyOf(adds(constant)), 10 - at)
  const reworded = adds(2, 'the sum of a and b, then add 2')
  const one = await putUp(2, old, reworded, adds(3), adds(5), adds(6))
  expect(one.fresh).toEqual([adds(5), adds(6)])
  expect(one.all).toEqual(one.fresh)
  const none = await putUp(3, old, reworded, adds(3), adds(4), adds(5))
  expect(none.fresh).toEqual([adds(5)])
  expect(none.all).toEqual([adds(5), adds(4), adds(3)])
  // Nothing more is sampled once a level has no more.
  const spent = await putUp(3, old, reworded, adds(3), adds(4))
  expect([spent.all, spent.samples]).toEqual([[adds(4), adds(3), reworded], 6])
})
