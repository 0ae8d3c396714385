import { add, linear, matMul } from '#engine/tensor.ts'
import type { DecoderParts, WeightValues } from '../decoder/decoder.ts'

/**
 * A decoder's parts with an adapter over its linear modules: y = x W^T + b + scaling (x A^T) B^T. Factors and weights are
 * values of one graph; as inputs they may change from run to run.
 *
 * @param base - the parts without it.
 * @param factors - by `<module>.lora_A.weight` and `<module>.lora_B.weight`; modules without them are left as they are.
 * @see LoRA, arXiv:2106.09685 section 4.1.
 */
export function loraParts(base: DecoderParts, factors: WeightValues, scaling: number): DecoderParts {
  return {
    weight: base.weight,
    project(x, name) {
      const y = base.project(x, name)
      const [a, b] = [factors.get(`${name}.lora_A.weight`), factors.get(`${name}.lora_B.weight`)]
      return a && b ? add(y, matMul(linear(x, a), b, { transB: true, alpha: scaling })) : y
    },
  }
}
