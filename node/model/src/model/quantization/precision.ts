/** How a frozen model's matrices are kept and multiplied. */
export type Precision = (typeof precisions)[number]

export const precisions = ['float32', 'float16', 'int8', 'int4'] as const

/** Those that a specification may ask for: they change the results, and float16 is computed otherwise by each device. */
export const specifiedPrecisions = ['float32', 'int8', 'int4'] as const
export type SpecifiedPrecision = (typeof specifiedPrecisions)[number]
