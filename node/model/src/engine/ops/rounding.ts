import { type Emitter, required } from '../opRow.ts'
import type { GraphNode, Value } from '../value.ts'
import { chain } from './integer.ts'

/**
 * Returns a float16 array unchanged, through a node that hides it from the CPU's runtime. Around kernels that exist only in float32,
 * the runtime inserts casts and removes two that follow each other, so nothing would be rounded to float16.
 */
export function opaque(e: Emitter, half: string, rank: number): string {
  const sameLengths = () => e.integers(new Array<number>(rank).fill(0))
  return e.device === 'cpu' && rank > 0 ? chain(e)('Reshape', [half, sameLengths()]) : half
}

/** A cast that really rounds to float16. */
export function emitCast(node: GraphNode, e: Emitter): void {
  const [x, output] = [required(node, 0), node.outputs[0] as Value]
  const from = x.dtype === 'f16' ? opaque(e, e.name(x), x.shape.length) : e.name(x)
  if (output.dtype !== 'f16' || output.shape.length === 0 || e.device !== 'cpu') {
    e.node('Cast', [from], [e.name(output)], node.attributes)
    return
  }
  const half = chain(e)('Cast', [from], node.attributes)
  e.node('Reshape', [half, e.integers(output.shape.map(() => 0))], [e.name(output)])
}
