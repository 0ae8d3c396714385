import { GraphError } from './engineError.ts'
import { opTable } from './opTable.ts'
import { sameShape } from './shapes.ts'
import { add, zerosLike } from './tensor.ts'
import type { GraphNode, Value } from './value.ts'

/**
 * Reverse-mode gradients of a scalar, as new nodes of the same graph.
 *
 * @param loss - scalar `[]`.
 * @param wrt - values to differentiate by.
 * @returns the gradient of each, in its shape; zeros where the loss does not depend on it.
 * @throws {GraphError} if the loss is not a scalar, or an op on the way has no gradient.
 */
export function gradients(loss: Value, wrt: readonly Value[]): readonly Value[] {
  if (loss.shape.length > 0) throw new GraphError(`the loss must be a scalar, not [${loss.shape}]`)
  return vectorJacobian(loss, loss.graph.scalar(1, loss.dtype), wrt)
}

/**
 * The product of a gradient with the Jacobian of a value, as new nodes of the same graph: one part's factor in the chain
 * rule.
 *
 * @param y - of any shape.
 * @param dy - gradient of a loss by `y`, in its shape.
 * @returns the gradient by each of `wrt`, in its shape; zeros where `y` does not depend on it.
 * @throws {GraphError} if the shapes differ, or an op on the way has no gradient.
 */
export function vectorJacobian(y: Value, dy: Value, wrt: readonly Value[]): readonly Value[] {
  if (!sameShape(y.shape, dy.shape)) throw new GraphError(`a gradient of [${dy.shape}] for a value of [${y.shape}]`)
  const gradientOf = new Map<Value, Value>([[y, dy]])
  for (const node of nodesBetween(wrt, y).reverse()) {
    const parts = node.outputs.map(output => gradientOf.get(output) ?? null)
    if (parts.every(d => d === null)) continue
    const rule = opTable[node.op].gradient
    if (rule === 'discrete') continue
    if (rule === 'forwardOnly') throw new GraphError(`${node.op} has no gradient; build the training graph without it`)
    const shares = (typeof rule === 'object' ? rule.straightThrough : rule)(node, parts)
    for (const [i, input] of node.inputs.entries()) {
      const share = shares[i]
      if (!input || !share) continue
      const sum = gradientOf.get(input)
      gradientOf.set(input, sum ? add(sum, share) : share)
    }
  }
  return wrt.map(value => gradientOf.get(value) ?? zerosLike(value))
}

/** The nodes on a path from `from` to `to`, in order. */
function nodesBetween(from: readonly Value[], to: Value): GraphNode[] {
  const reached = new Set<Value>(from)
  const forward = to.graph.nodes.filter(node => {
    if (!node.inputs.some(input => input && reached.has(input))) return false
    for (const output of node.outputs) reached.add(output)
    return true
  })
  const needed = new Set<Value>([to])
  const between = forward.reverse().filter(node => {
    if (!node.outputs.some(output => needed.has(output))) return false
    for (const input of node.inputs) if (input) needed.add(input)
    return true
  })
  return between.reverse()
}
