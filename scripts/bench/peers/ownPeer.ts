/** Waggle as a peer: loads the model and measures what it is asked. */
import { Graph } from '../../../node/model/src/engine/graph.ts'
import { encodeModel } from '../../../node/model/src/engine/onnxModel.ts'
import { createSession, tensor } from '../../../node/model/src/engine/session.ts'
import { matMul, sumOver } from '../../../node/model/src/engine/tensor.ts'
import type { Generator } from '../../../node/model/src/model/generation/generate.ts'
import { loadGenerator } from '../../../node/model/src/model/generation/loadGenerator.ts'
import type { Precision } from '../../../node/model/src/model/quantization/precision.ts'
import { answerQuestions } from './answerQuestions.ts'

interface Question {
  readonly what: 'load' | 'generate' | 'bandwidth'
  readonly folder: string
  readonly precision: Precision
  readonly threads: number
  readonly rows: number
  readonly promptTokens: number
  readonly newTokens: number
}

let generator: Generator | undefined

await answerQuestions<Question>(async asked => {
  if (asked.what === 'bandwidth') return { bytesPerSec: await readBandwidth(asked.threads) }
  if (asked.what === 'load') {
    const start = performance.now()
    generator = await loadGenerator(asked.folder, { precision: asked.precision, threads: asked.threads })
    return { sec: (performance.now() - start) / 1000 }
  }
  return generate(asked)
})

/** Times of the first token of all rows, of the whole, and of the median step after the first. */
async function generate({ rows, promptTokens, newTokens }: Question) {
  const start = performance.now()
  const steps: number[] = []
  let drawn = 0
  await generator?.generate({
    prompts: [Int32Array.from({ length: promptTokens }, (_, i) => (i * 7919) % 151_936)],
    samplesPerPrompt: rows,
    maxNewTokens: newTokens,
    temperature: 1,
    stopToken: -1,
    seed: 'bench',
    onToken: () => {
      if (++drawn % rows === 0) steps.push(performance.now())
    },
  })
  const between = steps.slice(1).map((at, i) => at - (steps[i] as number))
  const median = between.sort((a, b) => a - b)[between.length >> 1] ?? 0
  const [first, last] = [steps[0] as number, steps.at(-1) as number]
  return { firstSec: (first - start) / 1000, totalSec: (last - start) / 1000, stepSec: median / 1000 }
}

/** Best of five reads of 1 GB by two threads: a vector by a matrix, which streams the matrix once. */
async function readBandwidth(threads: number): Promise<number> {
  const [rows, columns] = [2 ** 12, 2 ** 16]
  const graph = new Graph()
  const matrix = graph.input('matrix', 'f32', [rows, columns])
  const vector = graph.input('vector', 'f32', [1, rows])
  const session = await createSession(encodeModel({ sum: sumOver(matMul(vector, matrix)) }), { threads })
  const feeds = {
    matrix: tensor('f32', new Float32Array(rows * columns).fill(1), [rows, columns]),
    vector: tensor('f32', new Float32Array(rows).fill(1), [1, rows]),
  }
  let best = 0
  for (let i = 0; i < 6; i++) {
    const start = performance.now()
    await session.run(feeds)
    if (i > 0) best = Math.max(best, (4 * rows * columns) / ((performance.now() - start) / 1000))
  }
  await session.dispose()
  return best
}
