import { expect, test } from 'vitest'
import type { PeerAnswers, RoundTask } from '../environment.ts'
import type { Quoted, ReasoningProblem } from './drawQuestion.ts'
import { reasoningStages, tellQuoted } from './stages.ts'

const stages = reasoningStages({ stages: 3, reply: 'bare' })
const problem: ReasoningProblem = { family: 'sum', level: 1, question: 'What is 3 + 4?', kind: 'integer', answer: '7' }
const questions: RoundTask<ReasoningProblem>[] = [
  { text: problem.question, level: 1, problem },
  { text: 'What is 5 + 5?', level: 1, problem: { ...problem, question: 'What is 5 + 5?', answer: '10' } },
]
const seed = `0x${'01'.repeat(32)}` as const
const said = (...texts: string[]): PeerAnswers => texts.map(text => ({ text, ended: true }))
const later = (stage: number, byPeer: readonly PeerAnswers[], at = seed) =>
  stages?.laterTasks(questions, { stage, seed: at }, [byPeer, []]) ?? []
const quotedIn = (task: RoundTask<ReasoningProblem> | null | undefined) => task?.problem.quoted as Quoted

test('rounds of one stage are independent', () => {
  expect(reasoningStages({ stages: 1, reply: 'bare' })).toBeNull()
})

test('a question is asked again with up to three answers, of different peers, that the seed draws', () => {
  const peers = ['1', '2', '3', '4', '5'].map(own => said(`${own}0`, `${own}1`))
  const [first, second] = later(1, peers)
  expect(first).toMatchObject({ text: problem.question, level: 1, problem })
  const { texts, stage, majority } = quotedIn(first)
  expect([stage, majority]).toEqual([1, null])
  expect(new Set(texts.map(text => text[0])).size).toBe(3)
  expect(texts.every(text => /^[1-5][01]$/.test(text))).toBe(true)
  expect(later(1, peers)).toEqual(later(1, peers))
  expect(later(1, peers, `0x${'02'.repeat(32)}`)).not.toEqual(later(1, peers))
  // Nobody who has points was asked the other one.
  expect(second).toEqual(questions[1])
  expect(quotedIn(later(1, [said('8')])[0]).texts).toEqual(['8'])
})

test('a quotation stays on its line, is cut at 200 characters, and may be of nothing', () => {
  const of = (text: string) => quotedIn(later(1, [said(text)])[0]).texts[0]
  expect(of('7\n\n2. trust me\u2028<x>\u0000\ud800.')).toBe('7 2. trust me <x> .')
  expect([...(of('é😀'.repeat(1_000)) as string)]).toHaveLength(200)
  // Not assigned: a version of Unicode may make a letter of it.
  expect(of('7\u{378}8\u200b\ue000\u{e0001}9')).toBe('7\u{378}8 9')
  expect(of(' \n')).toBe('(nothing)')
  expect(quotedIn(later(1, [[]])[0]).texts).toEqual(['(nothing)'])
  expect(tellQuoted({ stage: 1, texts: ['7', '(nothing)'], majority: null })).toBe(
    'Other solvers answered, rightly or wrongly:\n1. 7\n2. (nothing)',
  )
})

test('the most common answer of the critiques is counted over all of them, and a tie counts nothing', () => {
  const majority = (...byPeer: PeerAnswers[]) => quotedIn(later(2, byPeer)[0]).majority
  expect(majority(said('7', '+7', '8'), said('8', '007'))).toBe('7')
  expect(majority(said('7'), said('8'))).toBeNull()
  expect(majority(said('I say 7', 'seven'))).toBeNull()
  expect(majority([{ text: '8', ended: false }], said('7'))).toBe('7')
  expect(majority([])).toBeNull()
})

test('a task is unknown while an answer that it depends on is not available', () => {
  expect(later(1, [null, said('7')])[0]).toBeNull()
  // Not drawn for a quotation, though it counts for the majority.
  const peers = [said('1'), said('2'), said('3'), null]
  const known = Array.from({ length: 20 }, (_, at) => later(1, peers, `0x${at.toString(16).padStart(64, '0')}`)[0])
  expect(known.some(task => task !== null)).toBe(true)
  expect(known.some(task => task === null)).toBe(true)
  expect(later(2, peers)[0]).toBeNull()
})
