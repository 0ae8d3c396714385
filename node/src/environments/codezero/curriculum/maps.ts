/** An operation on one number: texts in a list, text in a conditional, spellings (plainest first), meaning. */
type MapConcept = {
  texts: readonly string[]
  conditionalText: string | null
  spellings: readonly string[]
  takesConstant: boolean
  apply(x: bigint, c: bigint): bigint
}

const concept = (
  texts: readonly string[],
  conditionalText: string | null,
  spellings: readonly string[],
  apply: (x: bigint, c: bigint) => bigint,
): MapConcept => ({ texts, conditionalText, spellings, apply, takesConstant: spellings.some(s => s.includes('{c}')) })

/** `{x}` is the number, `{c}` the constant. */
export const maps = {
  identity: concept([''], 'n', ['{x}'], x => x),
  square: concept([', each squared', ', each times itself'], 'n squared', ['{x} * {x}', '{x} ** 2'], x => x * x),
  double: concept(
    [', each doubled', ', each taken twice'],
    'twice n',
    ['{x} * 2', '2 * {x}', '{x} + {x}'],
    x => 2n * x,
  ),
  add: concept(
    [', each plus {c}', ', each increased by {c}'],
    'n plus {c}',
    ['{x} + {c}', '{c} + {x}'],
    (x, c) => x + c,
  ),
  subtract: concept(
    [', each minus {c}', ', each decreased by {c}'],
    'n minus {c}',
    ['{x} - {c}', '-{c} + {x}'],
    (x, c) => x - c,
  ),
  times: concept(
    [', each times {c}', ', each multiplied by {c}'],
    'n times {c}',
    ['{x} * {c}', '{c} * {x}'],
    (x, c) => x * c,
  ),
  subtractFrom: concept(
    [', each subtracted from {c}', ', each taken away from {c}'],
    '{c} minus n',
    ['{c} - {x}', '-{x} + {c}'],
    (x, c) => c - x,
  ),
  cube: concept([', each cubed'], null, ['{x} * {x} * {x}', '{x} ** 3'], x => x * x * x),
} satisfies Record<string, MapConcept>

export type MapId = keyof typeof maps

export const mapIds = Object.keys(maps) as MapId[]
/** Listed twice: drawn twice as often. */
export const easyMaps: readonly MapId[] = ['identity', 'identity', 'square', 'double', 'add', 'times', 'subtract']
export const hardMaps: readonly MapId[] = ['subtractFrom', 'cube']
/** Maps that a conditional's branches may use. */
export const branchMaps: readonly MapId[] = ['identity', 'square', 'double', 'add', 'subtract', 'times', 'subtractFrom']

/** The typical mistake for a map. */
export const confusedMap: Record<MapId, MapId> = {
  identity: 'double',
  square: 'double',
  double: 'square',
  add: 'subtract',
  subtract: 'add',
  times: 'add',
  subtractFrom: 'subtract',
  cube: 'square',
}
