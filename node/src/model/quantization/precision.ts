/** How a frozen model's matrices are kept and multiplied. It changes the results, so it is part of a model's specification. */
export type Precision = (typeof precisions)[number]

export const precisions = ['float32', 'int8', 'int4'] as const
