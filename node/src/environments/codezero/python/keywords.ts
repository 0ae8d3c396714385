/** Words that Python does not allow as names, also `__debug__`, which is a constant. It allows `match`, `case`, `type` and `_`, which are keywords only in some places. */
export const keywords: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield __debug__'
  ).split(' '),
)
