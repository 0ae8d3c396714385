import ort from 'onnxruntime-node'
import { countCrossing } from './devices/crossings.ts'
import { executionProviders } from './devices/device.ts'
import { type DeviceTensor, deviceTensor, isOnDevice } from './devices/deviceTensor.ts'
import { runtimeTypes, type TensorArrays } from './dtypes.ts'
import { SessionError } from './engineError.ts'
import { kernelTraits, tinyIsZero } from './kernelTraits.ts'
import type { OnnxModel } from './onnxModel.ts'
import { refusal, runFailure } from './sessionFailures.ts'
import { sessionProgress } from './sessionProgress.ts'
import type { DType, Value } from './value.ts'

/** A tensor fed to a session or read from it. Inputs are not copied: the runtime reads `data` in place. */
export type Tensor<T extends DType = DType> = {
  [K in T]: { readonly dtype: K; readonly shape: readonly number[]; readonly data: TensorArrays[K] }
}[T]

/** Makes a tensor; `data` is kept, not copied. */
export function tensor<T extends DType>(dtype: T, data: TensorArrays[T], shape: readonly number[]): Tensor<T> {
  return { dtype, data, shape } as Tensor<T>
}

/** An input of a run. */
export type Feed = Tensor | DeviceTensor

/** Targets of a run's outputs, by name; null for a new tensor. */
export type Places = Readonly<Record<string, Feed | null>>

/** Results of a run: tensors in this process's memory, and tensors that stay on the device. */
export interface RunResults {
  readonly results: Record<string, Tensor>
  readonly kept: Record<string, DeviceTensor>
}

export interface SessionOptions {
  /** Threads for one product; 2 by default. The results do not depend on it. */
  readonly threads?: number
  /**
   * Keep freed memory for the next run, in blocks rounded up to a power of two; true. Otherwise large arrays are returned to the system at once,
   * which costs some time and saves gigabytes if arrays have hundreds of megabytes.
   */
  readonly arena?: boolean
  /**
   * Let the runtime add to a product within the product's kernel, which adds in another order; true. Its choice among the products of a sum
   * depends on the rest of the model. With `false`, a program that is split into several models is bitwise identical to the whole.
   */
  readonly sumsInProducts?: boolean
  /** ONNX Runtime's graph rewriting. */
  readonly optimization?: 'disabled' | 'basic' | 'extended' | 'all'
  /** Write the runtime's log to stderr, including the placement of each node; see `readPlacements`. */
  readonly isVerbose?: boolean
  /** ONNX Runtime's own session configuration entries. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface Session {
  readonly model: OnnxModel
  /**
   * Runs the graph. Blocks its thread: keep sessions in a worker.
   *
   * @param feeds - every input of the model by name; unknown names are an error.
   * @param outputs - names of the wanted outputs; all by default. The others are still computed. Or a tensor for each, which
   *   is written in place and given back where it is not null. The binding copies it all the same; that copy is freed at once, which
   *   the garbage collector would do late. A tensor of the device is written there and not copied, also where the run is fed the same
   *   one, unless the model keeps outputs; it is not among the results.
   * @throws {SessionError} on a missing, unknown or misshapen input, or when the runtime fails.
   */
  run(feeds: Readonly<Record<string, Feed>>, outputs?: readonly string[] | Places): Promise<Record<string, Tensor>>
  /**
   * As `run`, for a model with outputs that stay on the device. The caller disposes of them, before the session.
   *
   * @param outputs - names of the wanted outputs, of either kind.
   */
  runKeeping(feeds: Readonly<Record<string, Feed>>, outputs: readonly string[]): Promise<RunResults>
  dispose(): Promise<void>
}

/** More than any machine has cores: the runtime starts as many threads as requested, and crashes the process if it cannot. */
const MOST_THREADS = 1024

/**
 * Builds an ONNX Runtime session on the device that the model was encoded for. Outputs come back to the CPU's memory, but for those that the
 * model keeps on its device.
 *
 * @throws {SessionError} if the runtime refuses the model or lacks the device, or the thread count is invalid.
 */
export async function createSession(model: OnnxModel, options: SessionOptions = {}): Promise<Session> {
  const { threads = 2 } = options
  if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS)
    throw new SessionError(`${threads} threads`, { hint: `Give a whole number from 1 to ${MOST_THREADS}.` })
  // Read by NVIDIA's libraries when they start. The binding cannot turn off TF32, whose 10 bits would miss the tolerances of float32.
  // biome-ignore lint/style/noProcessEnv: it is written, for libraries of this process.
  if (model.device === 'cuda') process.env.NVIDIA_TF32_OVERRIDE ??= '0'
  let session: ort.InferenceSession
  try {
    session = await ort.InferenceSession.create(await bytesHere(model), {
      executionProviders: [...executionProviders[model.device]],
      executionMode: 'sequential',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: options.optimization ?? 'all',
      // Planned by the shapes of the first run, which is wasteful for large or varying ones.
      enableMemPattern: false,
      enableCpuMemArena: options.arena ?? true,
      logSeverityLevel: options.isVerbose ? 0 : 3,
      ...(model.kept.size > 0 && {
        preferredOutputLocation: Object.fromEntries([...model.kept].map(name => [name, 'gpu-buffer' as const])),
      }),
      ...extraOptions(model, options),
    })
  } catch (cause) {
    throw refusal(model.device, cause)
  } finally {
    sessionProgress.publish(undefined)
  }
  /**
   * Outputs of kept runs so far. The binding (1.30) remembers every requested output, and fails a run that requests fewer. It returns values in the
   * order of the first requests, under names in the order of the model. It takes places by position, not by name. So kept outputs come first in the
   * model, and all are requested. Without kept outputs nothing is bound, and values have their own names.
   */
  const bound = [...model.kept]
  return {
    model,
    async runKeeping(feeds, outputs) {
      const inputs = checkedFeeds(model, feeds)
      if (model.kept.size === 0) bound.length = 0
      bound.push(...[...model.outputs.keys()].filter(name => outputs.includes(name) && !bound.includes(name)))
      const named = [...model.outputs.keys()].filter(name => bound.includes(name))
      try {
        const found: RunResults = { results: {}, kept: {} }
        const values = await session.run(inputs, named)
        for (const [i, name] of bound.entries()) {
          const value = values[named[i] as string] as ort.Tensor
          if (!outputs.includes(name)) value.dispose()
          else if (!model.kept.has(name)) found.results[name] = fromRuntime(model, name, value)
          else if (value.location === 'gpu-buffer') found.kept[name] = deviceTensor(dtypeOf(model, name), value)
          else throw new Error(`output ${name} came to the ${value.location}`)
        }
        return found
      } catch (cause) {
        throw runFailure(model.device, cause)
      } finally {
        sessionProgress.publish(undefined)
      }
    },
    async run(feeds, outputs) {
      const inputs = checkedFeeds(model, feeds)
      try {
        const results = outputs ? await session.run(inputs, fetchesOf(outputs)) : await session.run(inputs)
        const places = Array.isArray(outputs) ? {} : ((outputs ?? {}) as Places)
        const found: Record<string, Tensor> = {}
        for (const [name, value] of Object.entries(results)) {
          const place = places[name] ?? null
          if (place === null) found[name] = fromRuntime(model, name, value)
          else if (!isOnDevice(place)) found[name] = placed(place, value)
        }
        return found
      } catch (cause) {
        throw runFailure(model.device, cause)
      } finally {
        sessionProgress.publish(undefined)
      }
    },
    dispose: () => session.release(),
  }
}

type Fetches = string[] | Record<string, ort.Tensor | null>

function fetchesOf(outputs: readonly string[] | Places): Fetches {
  if (Array.isArray(outputs)) return outputs as string[]
  const places = Object.entries(outputs as Places)
  return Object.fromEntries(places.map(([name, place]) => [name, place && heldOf(place)]))
}

/** The tensor that a result was written into; the copy is freed. */
function placed(place: Tensor, copy: ort.OnnxValue): Tensor {
  const { buffer } = (copy as ort.Tensor).data as Float32Array<ArrayBuffer>
  if (buffer !== place.data.buffer) buffer.transfer(0)
  return place
}

const heldOf = (x: Feed) => (isOnDevice(x) ? x.held : toRuntime(x))

const toRuntime = ({ dtype, data, shape }: Tensor) =>
  new ort.Tensor(runtimeTypes[dtype], data as ort.Tensor.DataType, shape) as ort.Tensor

/** Bytes for this CPU. A program for kernels with traits is slower: products by unsigned bytes take twice as long as exact ones by signed bytes. */
async function bytesHere({ bytes, bytesFor }: OnnxModel): Promise<Uint8Array> {
  if (!bytesFor) return bytes
  const kernels = await kernelTraits()
  return kernels.productsSaturate || kernels.loneRowsDiffer ? bytesFor(kernels) : bytes
}

function extraOptions({ folder }: OnnxModel, { extra, sumsInProducts = true }: SessionOptions) {
  const session = {
    ...tinyIsZero,
    ...(folder === null ? {} : { model_external_initializers_file_folder_path: folder }),
    ...(extra?.session as object | undefined),
  }
  const optimization = sumsInProducts ? {} : { optimization: { disable_specified_optimizers: 'MatMulAddFusion' } }
  return { extra: { ...optimization, ...extra, session } }
}

function checkedFeeds(model: OnnxModel, feeds: Readonly<Record<string, Feed>>): Record<string, ort.Tensor> {
  const lengths = new Map<string, number>()
  const inputs: Record<string, ort.Tensor> = {}
  for (const [name, value] of model.inputs) {
    const fed = feeds[name]
    if (!fed) throw badFeed(`input ${name} was not fed`)
    checkShape(name, value, fed, lengths)
    inputs[name] = heldOf(fed)
    if (!isOnDevice(fed)) countCrossing(model.device, 'toDevice', fed.data)
  }
  for (const name in feeds) if (!model.inputs.has(name)) throw badFeed(`the model has no input named ${name}`)
  return inputs
}

function checkShape(name: string, value: Value, fed: Feed, lengths: Map<string, number>): void {
  const shown = `${name}: ${fed.dtype}[${fed.shape}]`
  const fits = fed.dtype === value.dtype && fed.shape.length === value.shape.length
  if (!fits) throw badFeed(`${shown} for ${value.dtype}[${value.shape}]`)
  for (const [axis, dim] of value.shape.entries()) {
    const length = fed.shape[axis] as number
    const expected = typeof dim === 'number' ? dim : (lengths.get(dim) ?? length)
    if (length !== expected) throw badFeed(`${shown} for [${value.shape}], where ${dim} is ${expected}`)
    if (typeof dim === 'string') lengths.set(dim, length)
  }
  if (!isOnDevice(fed) && fed.data.length !== fed.shape.reduce((a, b) => a * b, 1))
    throw badFeed(`${shown} with ${fed.data.length} elements`)
}

function fromRuntime(model: OnnxModel, name: string, value: ort.OnnxValue): Tensor {
  const { data, dims } = value as ort.Tensor
  countCrossing(model.device, 'fromDevice', data as ArrayBufferView<ArrayBuffer>)
  return { dtype: dtypeOf(model, name), data, shape: dims } as unknown as Tensor
}

const dtypeOf = (model: OnnxModel, name: string): DType => model.outputs.get(name)?.dtype ?? 'f32'

const badFeed = (message: string) =>
  new SessionError(message, { hint: 'This is a defect of the program that runs the graph; please report it.' })
