import { afterEach, expect, test, vi } from 'vitest'
import { browserStore } from './browserStore.ts'
import { hadWallet } from './wallet.ts'

afterEach(() => vi.unstubAllGlobals())

test('a browser that forbids to keep anything reads nothing and forgets', () => {
  vi.stubGlobal('localStorage', undefined)
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError')
    },
  })
  browserStore.setItem('key', 'text')
  browserStore.removeItem('key')
  expect(browserStore.getItem('key')).toBeNull()
  expect(hadWallet()).toBe(false)
})

test('a browser that is full forgets what it is given', () => {
  const full = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
  }
  vi.stubGlobal('localStorage', { getItem: () => 'before', setItem: full })
  browserStore.setItem('key', 'after')
  expect(browserStore.getItem('key')).toBe('before')
})
