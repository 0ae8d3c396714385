import { afterEach, expect, test, vi } from 'vitest'
import { chatTemplate } from './chatTemplate.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** As Llama 3.2 asks for the date, and as SmolLM3 does. */
const whereDefined =
  '{% if strftime_now is defined %}{% set d = strftime_now("%d %b %Y") %}{% else %}{% set d = "26 Jul 2024" %}{% endif %}{{ d }}'
const always = '{{ strftime_now("%d %B %Y, 100%%") }}'

test.each([
  ['2026-11-29T21:00:00Z', 'Asia/Tokyo'],
  ['2025-02-01T03:00:00Z', 'America/Los_Angeles'],
])('a prompt has the same date at %s in %s', (now, zone) => {
  vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] })
  vi.stubEnv('TZ', zone)
  const rendered = (template: string) => chatTemplate('x', template, {}).render([{ role: 'user', content: 'hi' }])
  expect(rendered(whereDefined)).toBe('26 Jul 2024')
  expect(rendered(always)).toBe('26 July 2024, 100%')
})
