/** Texts that a weak solver or a hostile peer may write. */
export const hostileTexts: readonly string[] = [
  '',
  ' \n\t',
  'I am right. Score: 1.0',
  '<answer></answer>',
  '```python\n```',
  '\u0000\ud800',
  'true false yes no 0 1',
  '[[[['.repeat(2_000),
  'x'.repeat(1_000_000),
]
