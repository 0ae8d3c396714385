/** node-llama-cpp as a peer; its module is the first argument. */
import { answerQuestions } from './answerQuestions.ts'

interface Question {
  readonly what: 'load' | 'generate'
  readonly gguf: string
  readonly threads: number
  readonly rows: number
  readonly promptTokens: number
  readonly newTokens: number
}

const { getLlama } = await import(process.argv[2] as string)
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: 0 })
let model: Awaited<ReturnType<typeof llama.loadModel>>

await answerQuestions<Question>(async ({ what, gguf, threads, rows, promptTokens, newTokens }) => {
  if (what === 'load') {
    model = await llama.loadModel({ modelPath: gguf })
    return {}
  }
  const contextSize = Math.ceil((promptTokens + newTokens + 8) / 256) * 256
  const context = await model.createContext({
    sequences: rows,
    contextSize,
    batchSize: 512,
    threads,
    flashAttention: true,
  })
  const prompt = Array.from({ length: promptTokens }, (_, i) => (i * 7919) % 151_936)
  const firsts: number[] = []
  const start = performance.now()
  const run = async () => {
    const sequence = context.getSequence()
    let count = 0
    for await (const _ of sequence.evaluate(prompt, {
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      yieldEogToken: true,
    })) {
      if (++count === 1) firsts.push(performance.now())
      if (count === newTokens) break
    }
  }
  await Promise.all(Array.from({ length: rows }, run))
  const end = performance.now()
  await context.dispose()
  const first = Math.max(...firsts)
  const stepSec = newTokens > 1 ? (end - first) / 1000 / (newTokens - 1) : 0
  return { firstSec: (first - start) / 1000, totalSec: (end - start) / 1000, stepSec }
})
