import { expect, test } from 'vitest'
import { readPage, readParameter } from './readPage.ts'

test('a page that makes no sense is the first one', () => {
  const pages = ['3', '0', '-1', 'x', '1e99', '2.5', '107374184', undefined]
  expect(pages.map(page => readPage({ page }))).toEqual([3, 1, 1, 1, 1, 1, 1, 1])
})

test('a parameter given twice counts once, without control characters and the blanks around it', () => {
  expect(readParameter({ q: [' amber ', 'x'] }, 'q')).toBe('amber')
  expect(readParameter({ q: '\0 am\x1bber\0' }, 'q')).toBe('amber')
})
