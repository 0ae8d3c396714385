import { chatMessages, environmentFrom } from './presets.ts'

const hash = `0x${'11'.repeat(32)}` as const
const { solver, proposer, judgeSystem: system, judgeQuestion: question } = chatMessages

/** For tests: rules with a chat model as judge, which operators name. */
export const judgedByChatModel = environmentFrom('qwen', {
  prompts: { format: 'chat', tokenizerHash: hash, vocabSize: 448, solver, proposer },
  judge: {
    ...{ kind: 'trueFalse', weightsHash: hash, tokenizerHash: hash, precision: 'float32', model: null },
    ...{ system, question, calibration: { bias: 0, slope: 1 }, measured: null },
  },
})
