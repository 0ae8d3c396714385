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

// Results of Jinja 3.1.6, with the settings and the variables of transformers.
test.each([
  ['{% if tools is not none %}tools{% else %}plain{% endif %}', 'plain'],
  [
    "{% if tools %}tools{% endif %}{{ 'defined' if tools is defined }}{{ ' and none' if tools == none }}",
    'defined and none',
  ],
  ['{% if documents is not none %}documents{% else %}plain{% endif %}', 'plain'],
  ["{{ '\\n  x = 1\\n'.lstrip('\\n') }}|", '  x = 1\n|'],
  ["{{ 'a</think>\\n\\n  b'.split('</think>')[-1].lstrip('\\n') }}", '  b'],
  ["{{ 'xyzd'.lstrip('x').rstrip('d') }}", 'yz'],
  [
    "{{ 'xyzx'.strip('zx') }}|{{ '  a '.strip() }}|{{ '  a '.strip(none) }}|{{ ' a '.strip('') }}|{{ 'aba'.strip('ab') }}",
    'y|a|a| a |',
  ],
  ["{{ '😀a😀'.strip('😀') }}|{{ 'a' ~ ' b]'.rstrip('b]') }}|{{ messages[0].content.lstrip(' ac') }}", 'a|a |b xyzd'],
  ["{{ (messages[0]['content'] ~ '\\n').rstrip('\\n') }}|", ' caab xyzd|'],
  [
    "{{ '\ufeffx '|trim }}|{{ '\ufeffx'.strip() }}|{{ '\x85x\x1c'.strip() }}|{{ '\x1fx '.lstrip() }}|{{ 'x\xa0\x85'.rstrip(none) }}",
    '\ufeffx|\ufeffx|x|x |x',
  ],
  [
    "{%- for m in messages if m.role == 'user' %}{{ loop.index0 }}{{ m['content']|trim }}{{ '' if loop.last else ',' }}{%- endfor %}",
    '0caab xyzd,1é a',
  ],
  [
    '{% set ns = namespace(n=0) %}{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}',
    '2',
  ],
  [
    "{{ messages[1:]|length }}|{{ messages[::-1][0].role }}|{{ messages|map(attribute='role')|join(',') }}",
    '2|user|user,assistant,user',
  ],
  [
    "{{ messages[0]|tojson }}|{{ messages[0].get('tool_calls', 'no') }}|{{ 'yes' if messages[0].nope is defined }}",
    '{"role": "user", "content": " caab xyzd"}|no|',
  ],
  ['{%- if true -%}  x  {%- endif -%}  y\n{% if true %}\nz\n{% endif %}\n\nw', 'xy\nz\n\nw'],
  ["{{ 7 / 2 }}|{{ 7 // 2 }}|{{ 7 % 3 }}|{{ 'a,b,c'.split(',', 1)|length }}|{{ 'x' ~ 1 }}", '3.5|3|1|2|x1'],
])('%s is rendered as by Jinja for Python', (template, due) => {
  const messages = [
    { role: 'user', content: ' caab xyzd' },
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: 'é a' },
  ] as const
  expect(chatTemplate('x', template, {}).render(messages)).toBe(due)
})
