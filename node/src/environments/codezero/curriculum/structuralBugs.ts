import type { AggregateId } from './operations.ts'

/**
 * Mistakes in a loop's structure, as models make them.
 *
 * A wrong first value; a name that is never bound; the element returned; a return inside the loop, or inside its
 * condition; `=` for `+=`; the count mixed up with the sum; `min` for `max`; the sum mixed up with the product.
 */
export const structuralBugs = [
  'wrongInitial',
  'unboundName',
  'returnsElement',
  'returnsInCondition',
  'returnsInLoop',
  'assigns',
  'countForSum',
  'minForMax',
  'productForSum',
] as const
export type StructuralBug = (typeof structuralBugs)[number]

/** The mistake that the flawed corpus makes in an aggregate. */
export const typicalAggregateBug: Partial<Record<AggregateId, StructuralBug>> = {
  product: 'wrongInitial',
  count: 'countForSum',
  max: 'minForMax',
}

/** The parts of a loop that a bug may damage. */
export type LoopParts = {
  initial: string
  mapped: string
  condition: string | null
  returned: string
  /** Indentation added to the return statement. */
  returnIndent: string
  accumulate(mapped: string): string
}

/** A loop's parts with the bug planted; unchanged where the bug does not apply to the aggregate. */
export function plantBug(
  bug: StructuralBug,
  parts: LoopParts,
  loop: { aggregate: AggregateId; accumulator: string; element: string },
): LoopParts {
  const { aggregate, accumulator, element } = loop
  const rules: Record<StructuralBug, () => Partial<LoopParts>> = {
    wrongInitial: () => ({ initial: { '0': '1', '1': '0', '[]': '0' }[parts.initial] ?? parts.initial }),
    unboundName: () =>
      aggregate === 'count'
        ? { condition: parts.condition ? renamedIn(parts.condition, element, 'k') : null }
        : { mapped: renamedIn(parts.mapped, element, element === 'v' ? 'n' : 'v') },
    returnsElement: () => ({ returned: element }),
    returnsInCondition: () => ({ returnIndent: '        ' }),
    returnsInLoop: () => ({ returnIndent: '    ' }),
    assigns: () => ({
      accumulate: mapped => parts.accumulate(mapped).replace('+=', '=').replace('*=', '='),
    }),
    countForSum: () => {
      if (aggregate === 'count') return { accumulate: () => `${accumulator} += ${element}` }
      return aggregate === 'sum' ? { accumulate: () => `${accumulator} += 1` } : {}
    },
    minForMax: () =>
      aggregate === 'max' ? { accumulate: mapped => parts.accumulate(mapped).replace('max', 'min') } : {},
    productForSum: () => {
      if (aggregate === 'sum') return { accumulate: mapped => `${accumulator} *= ${mapped}` }
      return aggregate === 'product' ? { accumulate: mapped => `${accumulator} += ${mapped}` } : {}
    },
  }
  return { ...parts, ...rules[bug]() }
}

function renamedIn(code: string, from: string, to: string): string {
  return code.replace(new RegExp(`\\b${from}\\b`, 'g'), to)
}
