import { cpus } from 'node:os'
import { join } from 'node:path'
import { commonShape } from '../../node/model/src/model/decoder/commonShape.ts'
import { parameterCount } from '../../node/model/src/model/decoder/decoderWeights.ts'
import type { Precision } from '../../node/model/src/model/quantization/precision.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'
import { type Peer, startPeer } from './peers/peer.ts'
import { LLAMA_VERSION, llamaModule, pythonPeer } from './peers/setUpPeers.ts'
import { randomModel } from './randomModel.ts'

/** Bytes a weight that the bandwidth limit assumes; the stored size may differ. */
const LIMIT_BYTES: Record<Precision, number> = { float32: 4, float16: 2, int8: 1.125, int4: 0.625 }

/** Positions that a step of the decode rows finds in the cache when it begins. */
const DECODE_PROMPT = 64
const DECODE_TOKENS = 48
const GROUP = { rows: 8, promptTokens: 128, newTokens: 256 }

/** Short windows of decoding, each between two reads: the bandwidth of this machine moves within seconds. */
const DECODE_WINDOWS = { count: 7, tokens: 24 }

/** Measurements of both sides, interleaved, so that noise of the machine affects both. */
const TURNS = 3

interface Timed {
  readonly firstSec: number
  readonly totalSec: number
  readonly stepSec: number
}

export const rows: readonly BenchRow[] = [
  decodeRow('decode-b1-f32', 'float32', 0.92),
  decodeRow('decode-b1-q8', 'int8', 0.6),
  decodeRow('decode-b1-q4', 'int4', 0.42),
  againstLlama('decode-b8-q8', 1.8, { rows: 8, promptTokens: DECODE_PROMPT, newTokens: DECODE_TOKENS }, t => t.stepSec),
  againstLlama('decode-b16-q8', 2, { rows: 16, promptTokens: DECODE_PROMPT, newTokens: DECODE_TOKENS }, t => t.stepSec),
  againstLlama('prefill-q8', 3, { rows: 1, promptTokens: 256, newTokens: 1 }, t => t.firstSec),
  againstTransformers('group-f32', 1.7, 'float32', ['float32']),
  againstTransformers('group-q8', 2, 'int8', ['float32', 'bfloat16']),
  {
    name: 'load-05b',
    unit: 's',
    bar: 2.5,
    better: 'less',
    async measure(bench) {
      const secs: number[] = []
      for (let turn = 0; turn < TURNS; turn++) {
        const { folder } = await randomModel(bench)
        secs.push(
          await withPeer(ownPeer, async own => {
            const { sec } = await own.ask<{ sec: number }>({ ...loadQuestion(bench, 'float32'), folder })
            const { firstSec } = await own.ask<Timed>({ what: 'generate', rows: 1, promptTokens: 16, newTokens: 1 })
            return sec + firstSec
          }),
        )
      }
      const value = median(secs.slice(1)) // the first brought the file into the system's cache
      return { value, conditions: `float32 from safetensors, prompt of 16 tokens, ${machine(bench)}` }
    },
  },
]

/** The median of some windows, each against the bandwidth measured around it, which swings by half within minutes on a shared machine. */
function decodeRow(name: string, precision: Precision, bar: number): BenchRow {
  const bytes = parameterCount(commonShape) * LIMIT_BYTES[precision]
  return {
    name,
    unit: 'of the bandwidth limit',
    bar,
    better: 'more',
    async measure(bench) {
      const own = await loadedOwn(bench, precision)
      try {
        const ask = () => own.ask<{ bytesPerSec: number }>({ what: 'bandwidth', threads: bench.threads })
        const { count, tokens } = DECODE_WINDOWS
        const question = { what: 'generate', rows: 1, promptTokens: DECODE_PROMPT, newTokens: tokens }
        const windows: { rate: number; limit: number }[] = []
        let before = (await ask()).bytesPerSec
        for (let window = 0; window < count; window++) {
          const rate = 1 / (await own.ask<Timed>(question)).stepSec
          const after = (await ask()).bytesPerSec
          windows.push({ rate, limit: Math.max(before, after) / bytes })
          before = after
        }
        const fraction = median(windows.map(({ rate, limit }) => rate / limit))
        const { rate, limit } = windows.find(window => window.rate / window.limit === fraction) as (typeof windows)[0]
        const bandwidth = `${((limit * bytes) / 1e9).toFixed(1)} GB/s, the better of just before and just after, the median of ${count} windows`
        const conditions = `${rate.toFixed(1)} of ${limit.toFixed(1)} tokens/s at ${bandwidth}, ${machine(bench)}`
        return { value: fraction, conditions }
      } finally {
        await own.stop()
      }
    },
  }
}

/** Speed relative to node-llama-cpp with q8_0, by the time that `secOf` reads. */
function againstLlama(name: string, bar: number, question: Question, secOf: (timed: Timed) => number): BenchRow {
  const measure = async (bench: Bench): Promise<Measured> => {
    const { gguf } = await randomModel(bench)
    const own = await loadedOwn(bench, 'int8')
    const module = await llamaModule(bench)
    const llama = startPeer(process.execPath, [join(import.meta.dirname, 'peers/llamaPeer.ts'), module])
    try {
      await llama.ask({ what: 'load', gguf })
      const [ours, theirs]: [number[], number[]] = [[], []]
      for (let turn = 0; turn < TURNS; turn++) {
        const asked = { what: 'generate', threads: bench.threads, ...question }
        ours.push(secOf(await own.ask<Timed>(asked)))
        theirs.push(secOf(await llama.ask<Timed>(asked)))
      }
      const tokens = question.newTokens === 1 ? question.promptTokens : question.rows
      const rate = (secs: readonly number[]) => (tokens / median(secs)).toFixed(1)
      const conditions = `${rate(ours)} against ${rate(theirs)} tokens/s of node-llama-cpp ${LLAMA_VERSION} q8_0, ${machine(bench)}`
      return { value: median(theirs) / median(ours), conditions }
    } finally {
      await Promise.all([own.stop(), llama.stop()])
    }
  }
  return { name, unit: 'times as fast', bar, better: 'more', measure }
}

/** Speed relative to transformers.generate in the fastest of some types. */
function againstTransformers(name: string, bar: number, precision: Precision, dtypes: readonly string[]): BenchRow {
  const measure = async (bench: Bench): Promise<Measured> => {
    const python = await pythonPeer(bench)
    if (!python) return { value: null, conditions: 'no python3 on this machine' }
    let best: { dtype: string; sec: number } | undefined
    for (const dtype of dtypes) {
      const sec = await transformersGroup(bench, python, dtype)
      if (!best || sec < best.sec) best = { dtype, sec }
    }
    const own = await loadedOwn(bench, precision)
    const { totalSec } = await own.ask<Timed>({ what: 'generate', ...GROUP }).finally(() => own.stop())
    const tokens = GROUP.rows * GROUP.newTokens
    const { dtype, sec } = best as { dtype: string; sec: number }
    const conditions = `${(tokens / totalSec).toFixed(1)} against ${(tokens / sec).toFixed(1)} tokens/s of transformers in ${dtype}, prompt of ${GROUP.promptTokens} tokens, ${machine(bench)}`
    return { value: sec / totalSec, conditions }
  }
  return { name, unit: 'times as fast', bar, better: 'more', measure }
}

/** Seconds that transformers takes for the group in one type, measured once a run. */
function transformersGroup(bench: Bench, python: string, dtype: string): Promise<number> {
  return bench.once(`transformers ${dtype}`, async () => {
    const { folder } = await randomModel(bench)
    const { threads } = bench
    return withPeer(
      () => startPeer(python, [join(import.meta.dirname, 'peers/transformersPeer.py')]),
      async theirs => {
        await theirs.ask({ what: 'load', folder, dtype, threads })
        await theirs.ask({ what: 'generate', threads, ...GROUP, newTokens: 4 })
        return (await theirs.ask<{ totalSec: number }>({ what: 'generate', threads, ...GROUP })).totalSec
      },
    )
  })
}

interface Question {
  readonly rows: number
  readonly promptTokens: number
  readonly newTokens: number
}

const ownPeer = () => startPeer(process.execPath, [join(import.meta.dirname, 'peers/ownPeer.ts')])

const loadQuestion = (bench: Bench, precision: Precision) => ({ what: 'load', precision, threads: bench.threads })

/** Waggle with the random model, after one short call. */
async function loadedOwn(bench: Bench, precision: Precision): Promise<Peer> {
  const { folder } = await randomModel(bench)
  const own = ownPeer()
  await own.ask({ ...loadQuestion(bench, precision), folder })
  await own.ask({ what: 'generate', rows: 1, promptTokens: 16, newTokens: 2 })
  return own
}

async function withPeer<T>(start: () => Peer, job: (peer: Peer) => Promise<T>): Promise<T> {
  const peer = start()
  try {
    return await job(peer)
  } finally {
    await peer.stop()
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number
}

const machine = ({ threads }: Bench) => `${threads} threads of ${cpus()[0]?.model ?? 'an unknown CPU'}`
