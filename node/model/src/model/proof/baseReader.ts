import { createSession, type Tensor, tensor } from '#engine/session.ts'
import { linear, matMul, mul } from '#engine/tensor.ts'
import { checkOptions, runSchema } from '../checkOptions.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { withUpdates } from '../generation/adaptedGenerator.ts'
import { createFixedSession } from '../liveSession.ts'
import { allLinear, loraScaling } from '../lora/loraConfig.ts'
import { type LoraAdapter, loraShapes } from '../lora/loraFactors.ts'
import type { Freeze } from '../quantization/frozenParts.ts'
import { buildDrawsModel } from '../scoring/scoringGraph.ts'
import { type DrawRules, readDraws, type SampledSequence, type SequenceDraws } from './drawReader.ts'

/** A base in memory, which reads the draws of any adapter over it. */
export interface BaseReader {
  /**
   * Reads sequences under an adapter, as `DrawReader.read`. Adapters of any rank, scale and modules share one session: a stranger's choice of them
   * loads nothing again.
   */
  read(adapter: LoraAdapter, sequences: readonly SampledSequence[], rules: DrawRules): Promise<SequenceDraws[]>
  dispose(): Promise<void>
}

/** Loads a base. Its memory is that of its weights, in the precision of `freeze`. */
export async function createBaseReader(
  config: DecoderConfig,
  freeze: Freeze,
  options: { threads?: number } = {},
): Promise<BaseReader> {
  checkOptions(runSchema, options, 'createBaseReader')
  const { threads = 2 } = options
  const model = buildDrawsModel(config, anyAdapterParts(config, freeze))
  // It stays loaded: with an arena, a stranger's longest answer would take hundreds of megabytes until it is disposed of.
  const live = createFixedSession(await createSession(model, { threads, arena: false }))
  return {
    read: (adapter, sequences, rules) =>
      live.use(session => readDraws({ config, session, feeds: factorsOf(config, adapter) }, sequences, rules)),
    dispose: () => live.dispose(),
  }
}

/** Factors of rank 1 of every linear module. */
const modulesOf = (config: DecoderConfig) =>
  loraShapes(config, { rank: 1, alpha: 1, targets: allLinear, rankStabilized: false })

const moduleOf = (factor: string) => factor.replace(/\.lora_[AB]\.weight$/, '')

/** Frozen parts with inputs for every factor, whose ranks a run decides, and `scaling` f32 []. */
function anyAdapterParts(config: DecoderConfig, freeze: Freeze): Freeze {
  const shapes = modulesOf(config)
  return graph => {
    const rankOf = (factor: string) => `rank of ${moduleOf(factor)}`
    const shapeOf = (factor: string, [rows, columns]: readonly number[]) =>
      factor.endsWith('lora_A.weight') ? [rankOf(factor), columns as number] : [rows as number, rankOf(factor)]
    const inputs = new Map(
      [...shapes].map(([factor, shape]) => [factor, graph.input(factor, 'f32', shapeOf(factor, shape))]),
    )
    const scaling = graph.input('scaling', 'f32', [])
    return withUpdates(config, freeze(graph), (x, module) => {
      const [a, b] = ['A', 'B'].map(factor => inputs.get(`${module}.lora_${factor}.weight`))
      return a && b ? matMul(mul(linear(x, a), scaling), b, { transB: true }) : undefined
    })
  }
}

/** The adapter's factors, and zeros of rank 1 for modules that it leaves as they are. */
function factorsOf(config: DecoderConfig, { config: lora, factors }: LoraAdapter): Record<string, Tensor<'f32'>> {
  const feeds = [...modulesOf(config)].map(([name, shape]) => {
    const { data, shape: own } = factors.get(name) ?? { shape, data: new Float32Array(Math.max(...shape)) }
    return [name, tensor('f32', data, own)] as const
  })
  return { ...Object.fromEntries(feeds), scaling: tensor('f32', Float32Array.of(loraScaling(lora)), []) }
}
