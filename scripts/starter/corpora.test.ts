import { expect, test } from 'vitest'
import { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { trainTokenizer } from '../../node/model/src/model/tokenizers/trainTokenizer.ts'
import { parseTaskText } from '../../node/src/environments/codezero/curriculum/parseTaskText.ts'
import { isHeldOut } from '../../node/src/environments/codezero/curriculum/semanticKey.ts'
import { levels, type Meaning } from '../../node/src/environments/codezero/curriculum/task.ts'
import { admitProblem, parseProposal } from '../../node/src/environments/codezero/parseProposal.ts'
import { starterSpecials } from '../../node/src/environments/codezero/prompts.ts'
import { countRightTests } from '../../node/src/environments/codezero/proposedTests.ts'
import { checkStructure } from '../../node/src/environments/codezero/structure.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { drawCandidates, type OriginMix } from './candidates.ts'
import { proposalExample } from './proposalExample.ts'
import { judgeExample, solverExample } from './sequences.ts'

const tokenizer = trainTokenizer(['def f(xs):\n    return sum(xs)\n'], 300, starterSpecials)
const request = /^Write (\w+)\(([\w, ]+)\)\. (.*)$/

test('Every proposal that the solver learns from is well-formed, admitted, of its level, with right values.', async () => {
  const random = seededRandom('proposals')
  for (const level of levels) {
    for (let i = 0; i < 60; i++) {
      const proposal = await parseProposal(proposalExample(level, random))
      if (typeof proposal === 'string') throw new Error(proposal)
      expect(admitProblem(proposal.problem, 'understood')).toMatchObject({ level })
      const meaning = parseTaskText(proposal.problem.text) as Meaning
      expect(await countRightTests(proposal, meaning)).toBe(proposal.tests.length)
    }
  }
})

test("The solver's corpus asks for no held-out function, and every answer has the right form.", async () => {
  const random = seededRandom('solver corpus')
  for (let i = 0; i < 300; i++) {
    const { tokens, scored } = solverExample(tokenizer, random, 0)
    const [prompt, answer] = tokenizer.decode(tokens, 'keep').split('<asst>') as [string, string]
    const [, name = '', parameters = '', text = ''] = request.exec(prompt.replace('<user>', '')) ?? []
    const meaning = parseTaskText(text)
    expect(meaning && isHeldOut(meaning), text).toBe(false)
    const problem = { name, parameters: parameters.split(', '), text }
    expect((await checkStructure(answer.replace('<eos>', ''), true, problem)).code, answer).not.toBeNull()
    expect(tokens[scored.at(-1) as number]).toBe(tokenizer.special('<eos>'))
  }
})

test("The judge's corpus holds no held-out function: neither as a task nor as the code of a near-miss for training.", async () => {
  const random = seededRandom('judge corpus')
  const mix: OriginMix = [
    ['right', 0.5],
    ['unspoken', 0.5],
  ]
  for (const { task, code } of drawCandidates(200, random, { mix })) {
    expect(isHeldOut(task.meaning)).toBe(false)
    const example = await judgeExample(tokenizer, code, task, true, 1)
    expect(example?.weights.every(weight => weight === 1)).toBe(true)
  }
})

test('Text of a problem never becomes a special token.', () => {
  const ids = tokenizer.encode('<judge><no><eos>')
  for (const name of starterSpecials) expect([...ids]).not.toContain(tokenizer.special(name))
  expect(tokenizer).toBeInstanceOf(Tokenizer)
})
