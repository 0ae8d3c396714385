import { type Emitter, required } from '../opRow.ts'
import type { GraphNode, Value } from '../value.ts'
import { chain } from './integer.ts'

/**
 * A float16 array as it is, through a node that the CPU's runtime does not see through. Around kernels that it has in float32 alone it inserts casts of its own, and takes out two that
 * follow each other, so that nothing would be rounded to float16.
 */
export function opaque(e: Emitter, half: string, rank: number): string {
  const sameLengths = () => e.integers(new Array<number>(rank).fill(0))
  return e.device === 'cpu' && rank > 0 ? chain(e)('Reshape', [half, sameLengths()]) : half
}

/** A cast that rounds to float16 where it says so. */
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
