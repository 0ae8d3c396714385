import { expect, test } from 'vitest'
import { releasesOf } from './releasesOf.ts'

test('releases are counted, the newest first, without peers that say none', () => {
  const peers = ['0.9.0', '0.10.1', null, '0.9.0'].map(release => ({ release }))
  expect(releasesOf(peers)).toBe('0.10.1 (1), 0.9.0 (2)')
  expect(releasesOf([{ release: null }])).toBe(null)
})
