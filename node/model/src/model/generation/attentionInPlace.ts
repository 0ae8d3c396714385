import { groupedAttention } from '#engine/cachedAttention.ts'
import type { Graph } from '#engine/graph.ts'
import { cast, reshape, rmsNorm, split } from '#engine/tensor.ts'
import type { Value } from '#engine/value.ts'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { ModelInputError } from '../modelErrors.ts'
import type { CachedAttention, HeadNorms } from './attentionOverCopies.ts'
import type { DeviceReal } from './deviceArrays.ts'

/** The kernel takes heads whose width is a multiple of the first, and turns those whose width is a multiple of the second. */
const [HEAD_STEP, TURNED_STEP] = [8, 16]

/**
 * Attention by a device's own kernel over a cache in its memory, into which it writes: ONNX Runtime's GroupQueryAttention with shared buffers.
 * Inputs and outputs are those of `buildGenerationModel` on a device that keeps tensors.
 *
 * @param real - number type of the cache and of attention.
 * @throws {ModelInputError} if the kernel does not take heads of this width.
 */
export function attentionInPlace(graph: Graph, config: DecoderConfig, real: DeviceReal): CachedAttention {
  const { heads, kvHeads, headDim } = config
  if (headDim % HEAD_STEP !== 0)
    throw new ModelInputError(`heads of a width of ${headDim}, where devices take multiples of ${HEAD_STEP}`, {
      hint: 'Run this model on the CPU: --device cpu.',
    })
  const table = (name: string) => cast(graph.input(name, 'f32', ['R', headDim / 2]), real)
  const rotary = { cos: table('cos'), sin: table('sin') }
  const lastPlace = graph.input('lastPlace', 'i32', ['B'])
  const filled = graph.input('filled', 'i32', [])
  const isTurnedThere = headDim % TURNED_STEP === 0
  const positions = isTurnedThere ? undefined : graph.input('positions', 'i64', ['B', 'S'])
  const kept: Record<string, Value> = {}
  return {
    attend(layer, qkv, norms) {
      const past = (part: string) => graph.input(`past.${layer}.${part}`, real, ['B', kvHeads, 'P', headDim])
      const cache = { key: past('key'), value: past('value'), lastPlace, filled }
      const joined = cast(reshape(qkv, ['B', 'S', (heads + 2 * kvHeads) * headDim]), real)
      const projected = norms || positions ? apart(config, joined, norms) : ([joined] as const)
      const turned = positions && projected.length === 3 ? rotated(projected, positions, rotary) : projected
      const { mixed, key, value } = groupedAttention(turned, cache, heads, positions ? null : rotary)
      kept[`kept.${layer}.key`] = key
      kept[`kept.${layer}.value`] = value
      return cast(reshape(mixed, ['B*S', heads * headDim]), 'f32')
    },
    outputs: () => kept,
  }
}

type Projected = readonly [Value, Value, Value]

/** Queries, keys and values, each [B, S, its heads * headDim], the first two normalised by heads if the model does. */
function apart(config: DecoderConfig, joined: Value, norms: HeadNorms | undefined): Projected {
  const { heads, kvHeads, headDim } = config
  const counts = [heads, kvHeads, kvHeads]
  const pieces = split(
    joined,
    2,
    counts.map(count => count * headDim),
  ) as unknown as Projected
  if (!norms) return pieces
  const normal = (x: Value, weight: Value, count: number) => {
    const inHeads = cast(reshape(x, ['B', 'S', count, headDim]), 'f32')
    return reshape(cast(rmsNorm(inHeads, weight, config.rmsNormEps), x.dtype), ['B', 'S', count * headDim])
  }
  return [normal(pieces[0], norms.query, heads), normal(pieces[1], norms.key, kvHeads), pieces[2]]
}

function rotated(
  [query, key, value]: Projected,
  positions: Value,
  { cos, sin }: { cos: Value; sin: Value },
): Projected {
  const turn = (x: Value) => x.graph.apply1('RotaryEmbedding', [x, positions, cos, sin])
  return [turn(query), turn(key), value]
}
