import { expect, test } from 'vitest'
import { colorCode } from './colorCode.tsx'

test('an answer of empty lines keeps no reader waiting', () => {
  const text = '\n'.repeat(60_000)
  expect(colorCode(text)).toBe(text)
}, 2_000)

test('text of a model is shown as text, with any tags', () => {
  const [, code] = colorCode('```python\nx = "<img src=x>"\n') as { props: { children: unknown } }[]
  expect(JSON.stringify(code?.props.children)).toContain('<img src=x>')
  expect(JSON.stringify(code)).not.toContain('dangerouslySetInnerHTML')
})
