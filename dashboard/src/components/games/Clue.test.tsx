import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Clue } from './Clue.tsx'

test('a clue neither reorders nor hides its text', () => {
  expect(renderToStaticMarkup(<Clue text={'is it \u202e21?'} />)).toContain('is it \ufffd21?')
})
