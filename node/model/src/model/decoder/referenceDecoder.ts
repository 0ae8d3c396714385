import type { DecoderConfig } from './decoderConfig.ts'
import { ropeFrequencies } from './rope.ts'
import type { Weights } from './weights.ts'

/**
 * Log-probabilities of every next token after `tokens`, by the definition of the model: plain loops in float64, all positions
 * computed again, no graph, no cache. For tests; thousands of times slower than what it checks.
 *
 * @returns `[vocabSize]`, for the position after the last token.
 * @see Qwen2, arXiv:2407.10671 section 2.2.1.
 */
export function referenceLogprobs(
  config: DecoderConfig,
  weights: Weights,
  tokens: ArrayLike<number>,
  temperature = 1,
): number[] {
  const w = (name: string) => (weights.get(name) ?? { data: new Float32Array(0) }).data
  const { hiddenSize, headDim, heads, kvHeads } = config
  const embedding = w('model.embed_tokens.weight')
  const rows = Array.from(tokens, t => Array.from(embedding.subarray(t * hiddenSize, (t + 1) * hiddenSize)))
  for (let layer = 0; layer < config.layers; layer++) {
    const part = (name: string) => w(`model.layers.${layer}.${name}`)
    const project = (x: number[], name: string) => linear(x, part(`${name}.weight`), part(`${name}.bias`))
    const inHeads = (x: number[], name: string, position?: number) => {
      const y = project(x, `self_attn.${name}_proj`)
      if (position === undefined) return y
      const normal = config.queryKeyNorm ? normalHeads(config, y, part(`self_attn.${name}_norm.weight`)) : y
      return rotate(config, normal, position)
    }
    const normal = rows.map(x => rmsNorm(config, x, part('input_layernorm.weight')))
    const [q, k] = ['q', 'k'].map(name => normal.map((x, position) => inHeads(x, name, position))) as [
      number[][],
      number[][],
    ]
    const v = normal.map(x => inHeads(x, 'v'))
    rows.forEach((x, t) => {
      const mixed: number[] = []
      for (let head = 0; head < heads; head++) {
        const shared = Math.floor(head / (heads / kvHeads)) * headDim
        const query = (q[t] as number[]).slice(head * headDim, (head + 1) * headDim)
        const scores = k
          .slice(0, t + 1)
          .map(key => dot(query, key.slice(shared, shared + headDim)) / Math.sqrt(headDim))
        const p = logSoftmax(scores).map(Math.exp)
        for (let d = 0; d < headDim; d++)
          mixed.push(p.reduce((sum, pi, i) => sum + pi * at(v[i] as number[], shared + d), 0))
      }
      rows[t] = sum(x, project(mixed, 'self_attn.o_proj'))
    })
    rows.forEach((x, t) => {
      const normalized = rmsNorm(config, x, part('post_attention_layernorm.weight'))
      const up = project(normalized, 'mlp.up_proj')
      const gate = project(normalized, 'mlp.gate_proj')
      const inner = gate.map((g, i) => (g / (1 + Math.exp(-g))) * at(up, i))
      rows[t] = sum(x, project(inner, 'mlp.down_proj'))
    })
  }
  const last = rmsNorm(config, rows.at(-1) as number[], w('model.norm.weight'))
  const head = config.tieWordEmbeddings ? embedding : w('lm_head.weight')
  return logSoftmax(linear(last, head).map(x => x / temperature))
}

const at = (x: ArrayLike<number>, i: number) => x[i] as number
const sum = (a: number[], b: number[]) => a.map((x, i) => x + at(b, i))
const dot = (a: number[], b: number[]) => a.reduce((total, x, i) => total + x * at(b, i), 0)

/** x W^T + b with W `[out, in]`. */
function linear(x: number[], weight: Float32Array, bias?: Float32Array): number[] {
  return Array.from({ length: weight.length / x.length }, (_, o) => {
    let total = bias?.[o] ?? 0
    for (let i = 0; i < x.length; i++) total += at(x, i) * at(weight, o * x.length + i)
    return total
  })
}

function rmsNorm(config: DecoderConfig, x: number[], weight: Float32Array): number[] {
  const root = Math.sqrt(dot(x, x) / x.length + config.rmsNormEps)
  return x.map((value, i) => (value / root) * at(weight, i))
}

function normalHeads(config: DecoderConfig, x: number[], weight: Float32Array): number[] {
  const heads = Array.from({ length: x.length / config.headDim }, (_, head) =>
    x.slice(head * config.headDim, (head + 1) * config.headDim),
  )
  return heads.flatMap(head => rmsNorm(config, head, weight))
}

/** Rotary positions on every head, halves not interleaved. */
function rotate(config: DecoderConfig, x: number[], position: number): number[] {
  const { headDim } = config
  const half = headDim / 2
  const frequencies = ropeFrequencies(config)
  return x.map((value, i) => {
    const d = i % headDim
    const angle = Math.fround(position * at(frequencies, d % half))
    const partner = d < half ? -at(x, i + half) : at(x, i - half)
    return value * Math.cos(angle) + partner * Math.sin(angle)
  })
}

function logSoftmax(x: number[]): number[] {
  const most = x.reduce((a, b) => Math.max(a, b))
  const logTotal = most + Math.log(x.reduce((total, value) => total + Math.exp(value - most), 0))
  return x.map(value => value - logTotal)
}
