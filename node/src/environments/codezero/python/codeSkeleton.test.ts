import { expect, test } from 'vitest'
import { codeSkeleton } from './codeSkeleton.ts'

const skeleton = (body: string) =>
  codeSkeleton(`def f(a, b, c):\n    ${body}\n`, { name: 'f', parameters: ['a', 'b', 'c'] })

test.each([
  ['return (a + b) + (c)', 'return a + b + c'],
  ['return ((a * b) + c)', 'return a * b + c'],
  ['return (-a) if (a < b) else (b.c)', 'return -a if a < b else b.c'],
  ['return [(x) for x in (a) if (x in b)]', 'return [y for y in a if y in b]'],
  ['return (a not in b) and (not c) if (not a) else (b or c)', 'return a not in b and (not c) if not a else b or c'],
  ['return (a, b)', 'return a, b'],
  ['x, y = (b, a); return x[(y, c)]', '(y, x) = b, a; return y[x, c]'],
  ['x = y = 0; return a', 'return a'],
  ['x, y = 1, (a, [b])\n    return a', 'return a'],
  ['x = a + 1; y = x; return a', 'return a'],
  ['x: int = -a if b else c ** 2; return a', 'return a'],
  ['for x in a:\n        y = x\n    return a', 'for x in a:\n        pass\n    return a'],
  ['x = 0; z = a + 1; return z', 'z = a + 1; return z'],
  ['return a(b, c,)', 'return a(b, c)'],
  ['return [a,], {b,}, {a: b,}, (a, b,), c[a, b,]', 'return [a], {b}, {a: b}, (a, b), c[a, b]'],
  ['return (a, b,)', 'return a, b'],
  ['x = y = a, b,; return x', 'x = y = a, b; return x'],
  ['return 0xA + 1_0 + 0b11 + 1.50', 'return 10 + 10 + 3 + 1.5'],
  ['import math; from sys import argv as v; return a', 'return a'],
  ['a = a; return a', 'return a'],
  ['a = (a); (a) = a; b = b = b; c: list = c; return a', 'return a'],
  ['a, b = (a), b; a: list; return a', 'return a'],
  ['(x) = y = 0; return a', 'return a'],
  ['a < b; not c; return a', 'return a'],
  ['x = f"{a!r:>{b + 1}}{c}"; "s" f"{a=}"; [{b: -a}]; return a', 'return a'],
  ['for x in a:\n        b(x)\n    else: pass\n    return a', 'for x in a:\n        b(x)\n    return a'],
  ['if a: b()\n    elif b: c()\n    else:\n        0; a = a\n    return a', 'if a: b()\n    elif b: c()\n    return a'],
  [
    'try: b()\n    except: c()\n    else: pass\n    finally: pass\n    return a',
    'try: b()\n    except: c()\n    return a',
  ],
])('One function in two spellings: %s', async (one, other) => {
  expect(await skeleton(one)).toBe(await skeleton(other))
})

test.each([
  ['return (a + b) * c', 'return a + b * c'],
  ['return a - (b - c)', 'return a - b - c'],
  ['return (a < b) < c', 'return a < b < c'],
  ['return ((a < b)) < c', 'return a < b < c'],
  ['return -(a ** b)', 'return (-a) ** b'],
  ['return not (a and b)', 'return not a and b'],
  ['return not (a and b) and c', 'return not a and b and c'],
  ['return a and (not b or c)', 'return a and not b or c'],
  ['return a and not (b or c)', 'return a and not b or c'],
  ['return (a in b) in c', 'return a in b in c'],
  ['return (a, b), c', 'return a, b, c'],
  ['return (a, b)[0]', 'return a, b[0]'],
  ['return ()', 'return'],
  ['return a(b)', 'return a, b'],
  ['x = a; x += b; return a', 'return a'],
  ['x = 0; return a + x', 'return a'],
  ['x = a.pop(); return a', 'return a'],
  ['x = a[0]; return a', 'return a'],
  ['x[0] = 0; return a', 'return a'],
  ['x = 0\n    def g():\n        return x\n    return g', 'def g():\n        return x\n    return g'],
  ['a = 0; return a', 'return a'],
  ['a = b; return a', 'return a'],
  ['return (a,)', 'return (a)'],
  ['return c[a,]', 'return c[a]'],
  ['x, = a,; return x', 'x = a; return x'],
  ['return 1.0', 'return 1'],
  ['return 1j', 'return 1'],
  ['from math import a; return a', 'return a'],
  ['a, b = b, a; return a', 'return a'],
  ['x = a = x; return a', 'return a'],
  ['a[0]: int; return a', 'return a'],
  ['a(b) < c; return a', 'return a'],
  ['f"{a.sort()}"; return a', 'return a'],
  ['(f"{a.clear()}", 1); return a', 'return a'],
  ['f"{(a := [])}"; return a', 'return a'],
  ['x = "b" f"{c:{a.pop()}}"; return a', 'return a'],
  ['[*a]; return a', 'return a'],
  ['if a: pass\n    else: b()\n    return a', 'if a: pass\n    return a'],
  ['try: b()\n    except: pass\n    return a', 'try: b()\n    except: c()\n    return a'],
])('Two functions: %s', async (one, other) => {
  expect(await skeleton(one)).not.toBe(await skeleton(other))
})

test('Commas and signs in a header that change nothing make no other function.', async () => {
  const of = (header: string) =>
    codeSkeleton(`def f(${header}):\n    return a\n`, { name: 'f', parameters: ['a', 'b'] })
  for (const header of ['a, b,', 'a, b, /', 'a, /, b', 'a, /, b,']) expect(await of(header)).toBe(await of('a, b'))
  expect(await of('a, *, b')).not.toBe(await of('a, b'))
})

test('Names that are numbered are not mistaken for names that stay', async () => {
  const of = (result: string) =>
    codeSkeleton(`def f(v0):\n    x = v0 + 1\n    return ${result}\n`, { name: 'f', parameters: ['v0'] })
  expect(await of('x + v0')).not.toBe(await of('x + x'))
})

test('A chain of thousands of assignments is followed at once.', async () => {
  const chain = Array.from({ length: 1500 }, (_, at) => `x${at + 1}=x${at}`)
  expect(await skeleton(`x0=a;${chain.join(';')};return x1500`)).not.toBe(await skeleton('return a'))
  expect(await skeleton(`x0=a;${chain.join(';')};return a`)).toBe(await skeleton('return a'))
})
