import { SessionError } from './engineError.ts'
import { Graph } from './graph.ts'
import { encodeModel } from './onnxModel.ts'
import { createSession, type Session, type Tensor, tensor } from './session.ts'
import { integerLinear } from './tensor.ts'

/** [in, out] of a matrix. */
type MatrixShape = readonly [number, number]

/** Measurement of the products with matrices of one shape. */
export interface KernelChoice {
  readonly shape: MatrixShape
  /**
   * Best total time in milliseconds of one product for each timed number of rows: by the kernel that scales its sums itself, and by separate
   * nodes. Their results are bitwise identical.
   */
  readonly fusedMs: number
  readonly separateMs: number
  readonly isFused: boolean
}

/** Rows of the timed products: one token, a group that decodes, a prompt. */
const TIMED_ROWS = [1, 16, 128] as const
const MOST_ROWS = TIMED_ROWS[2]
/** Minimum of timed runs; and maximum, if separate nodes seem faster: with more runs, one run of the fused kernel is probably undisturbed. */
const MIN_RUNS = 3
const MAX_RUNS = 12
/** Separate nodes are chosen below this share of the fused kernel's time: a smaller difference is noise. */
const CLEARLY_FASTER = 0.9
/** Maximum of elements of a timed matrix; wider ones are cut, since a kernel treats all outputs in the same way. */
const MOST_ELEMENTS = 1 << 22
/** Number of outputs that are compared with sums computed in JavaScript. */
const CHECKED_OUTPUTS = 8

/**
 * Times the kernels for 8-bit products on a model's own shapes and takes the fused one unless the other is a tenth faster. They
 * add integers, so their results are bitwise identical. This is checked at the largest codes, against each other and against
 * sums computed here: a CPU without VNNI adds pairs in 16 bits, which saturate, unless the program is for such a CPU (see
 * `kernelTraits`).
 *
 * @throws {SessionError} if a kernel of this CPU is not exact.
 */
export async function chooseIntegerKernels(
  shapes: readonly MatrixShape[],
  { threads = 2 }: { threads?: number | undefined } = {},
): Promise<KernelChoice[]> {
  const distinct = new Map(shapes.map(shape => [shape.join(), shape]))
  const choices: KernelChoice[] = []
  for (const shape of distinct.values()) choices.push(await chooseKernel(shape, threads))
  return choices
}

async function chooseKernel(shape: MatrixShape, threads: number): Promise<KernelChoice> {
  const [inner, outer] = [shape[0], Math.min(shape[1], Math.ceil(MOST_ELEMENTS / shape[0]))]
  // Pairs of neighbours have the largest codes of one sign: their sum is the first that 16 bits cannot hold.
  const codes = Int8Array.from({ length: inner * outer }, (_, i) => (Math.floor(i / outer) % 4 < 2 ? 127 : -127))
  for (let n = 0; n < outer; n++) codes[n] = n % 127
  const x = Float32Array.from({ length: MOST_ROWS * inner }, (_, i) => (i % inner < 2 ? 1 : 1 - (i % 5) / 127))
  const sessions = [
    await sessionOf(true, codes, inner, threads),
    await sessionOf(false, codes, inner, threads),
  ] as const
  try {
    const [fused, separate] = [await outputsOf(sessions[0], x, inner), await outputsOf(sessions[1], x, inner)]
    if (!isExact(fused, x, codes, inner) || fused.some((y, i) => y !== separate[i])) throw notExact()
    const runs: Run[] = []
    while (runs.length < MIN_RUNS || (runs.length < MAX_RUNS && !chooseByTimes(runs).isFused))
      runs.push(await timedRun(sessions, x, inner))
    return { shape, ...chooseByTimes(runs) }
  } finally {
    for (const session of sessions) await session.dispose()
  }
}

/** Milliseconds of a product of each timed number of rows: fused, and separate. */
export type Run = readonly (readonly [fusedMs: number, separateMs: number])[]

/** Uses the fastest run for each number of rows: other load makes a product slower, never faster. */
export function chooseByTimes(runs: readonly Run[]): Omit<KernelChoice, 'shape'> {
  const best = (kernel: 0 | 1) => {
    const rows = runs[0]?.keys() ?? []
    return [...rows].reduce((sum, row) => sum + Math.min(...runs.map(run => run[row]?.[kernel] ?? 0)), 0)
  }
  const [fusedMs, separateMs] = [best(0), best(1)]
  return { fusedMs, separateMs, isFused: separateMs >= CLEARLY_FASTER * fusedMs }
}

function sessionOf(fused: boolean, codes: Int8Array<ArrayBuffer>, inner: number, threads: number): Promise<Session> {
  const outer = codes.length / inner
  const graph = new Graph()
  const weights = graph.constant('i8', [inner, outer], codes)
  const scales = graph.constant('f32', [outer], new Float32Array(outer).fill(1))
  const y = integerLinear(graph.input('x', 'f32', ['R', inner]), weights, scales, fused)
  // Threads of one session that spin for its next run would take cores from the other.
  return createSession(encodeModel({ y }), { threads, extra: { session: { intra_op: { allow_spinning: '0' } } } })
}

async function outputsOf(session: Session, x: Float32Array<ArrayBuffer>, inner: number): Promise<Float32Array> {
  const outputs = await session.run({ x: tensor('f32', x, [x.length / inner, inner]) })
  return (outputs.y as Tensor<'f32'>).data
}

/** Whether the last row's first outputs are the sums of its codes, whose scale is 1/127. */
function isExact(y: Float32Array, x: Float32Array, codes: Int8Array, inner: number): boolean {
  const outer = codes.length / inner
  const row = MOST_ROWS - 1
  const scale = Math.fround(1 / 127)
  for (let n = 0; n < Math.min(CHECKED_OUTPUTS, outer); n++) {
    let sum = 0
    for (let k = 0; k < inner; k++)
      sum += Math.round((x[row * inner + k] as number) / scale) * (codes[k * outer + n] as number)
    if (y[row * outer + n] !== Math.fround(Math.fround(sum) * scale)) return false
  }
  return true
}

/** Milliseconds of each kernel for the timed rows, alternating the kernels, so that other load affects both. */
async function timedRun(
  sessions: readonly [Session, Session],
  x: Float32Array<ArrayBuffer>,
  inner: number,
): Promise<Run> {
  const run: [number, number][] = []
  for (const rows of TIMED_ROWS) {
    const part = x.subarray(0, rows * inner)
    const times: number[] = []
    for (const session of sessions) {
      const start = performance.now()
      await outputsOf(session, part, inner)
      times.push(performance.now() - start)
    }
    run.push(times as [number, number])
  }
  return run
}

const notExact = () =>
  new SessionError("this CPU's products of 8-bit integers are not exact", {
    hint: 'Use float32 or int4 here: other machines would not get the same completions.',
  })
