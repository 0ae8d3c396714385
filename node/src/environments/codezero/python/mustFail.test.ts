import { expect, test } from 'vitest'
import { givesNothing, mustFail } from './mustFail.ts'
import { parsePython } from './parsePython.ts'
import type { PythonNode } from './pythonNode.ts'

const fails = async (code: string) => mustFail((await parsePython(code)) as PythonNode)

const loop = (body: string) => `def f(xs):\n    s = []\n    for x in xs:\n        ${body}\n    return s\n`

test.each([
  ['a method with an argument too many', loop('s.append(s, x * 2)')],
  ['a method with none', loop('s.append()')],
  ['a name that nothing gives a value', loop('s.append(x * x4)')],
  ['a list put into itself', loop('s.append(s)')],
  ['a list put into itself in brackets', loop('s.append(((s)))')],
  ['a list that grows by a sum', loop('s = s + [x]; s.append(s, x)')],
  ['a list among several', 'def f(xs):\n    s, n = [], 0\n    s.insert(n)\n    return s\n'],
  ['a string with an argument too many', 'def f(x):\n    return str(x).upper(1)\n'],
  ['a remainder of a count by zero', 'def f(xs):\n    n = len(xs)\n    return n % 0\n'],
  ['a remainder of an element by zero', 'def f(xs):\n    return xs[0] % 0\n'],
  ['a method of a list of the input', 'def f(xs):\n    xs.append(xs, 1)\n    return xs\n'],
  ['a function with an argument too many', 'def f(xs):\n    return len(xs, 2)\n'],
  ['a function with none', 'def f(xs):\n    return sorted()\n'],
  ['an update of a name without a value', loop('r += x')],
  ['a remainder by zero', loop('s.append(x % 0)')],
  ['a quotient by a difference that is zero', loop('s.append(1 + x // (2 - 2))')],
  ['an update by zero', loop('x /= 0')],
  ['a remainder by zero over lines with comments', 'def f(x):\n    return (x #\n    % # import *\n    (0 #\n    ))\n'],
  ['a name that only a hint makes its own', 'def f(xs):\n    sum: int\n    return sum(xs)\n'],
  ['a name that is made its own by itself', 'def f(xs):\n    sum: type = sum\n    return sum(xs)\n'],
  ['a list put into itself after a comment', loop('s.append(( #\n        s))')],
  ['a remainder of a list by zero', loop('s %= 0')],
  ['a remainder of one collection or another by zero', 'def f(x):\n    return (sorted(x) if x else [0] * 3) % 0\n'],
  ['a remainder of one number or another by zero', 'def f(x):\n    return (1 if x else 2) % 0\n'],
])('%s fails whenever it is run', async (_, code) => {
  expect(await fails(code)).toBe(true)
})

test.each([
  ['one argument', loop('s.append(x * 2)')],
  ['what is in the list', loop('s.append(s[-1] + x if s else x)')],
  ['what is known of the list', loop('s.append(len(s))')],
  ['a function of the type', loop('list.append(s, x)')],
  ['any number of arguments', loop('s.insert(*x)')],
  ['keywords', 'def f(xs):\n    return sorted(xs, key=lambda v: -v, reverse=True)\n'],
  ['a comprehension', 'def f(xs):\n    return sum(x for x in xs if x > 0)\n'],
  [
    'imports, helpers and constants',
    'from math import gcd as g\nN = 2\ndef h(a):\n    return g(a, N)\ndef f(x):\n    return h(x)\n',
  ],
  [
    'its own methods',
    'class S:\n    def append(self, a, b):\n        self.a = a\ndef f(x):\n    return S().append(x, 1)\n',
  ],
  ['its own name for a built-in', 'def f(len):\n    return len(1, 2)\n'],
  ['an f-string and a walrus', 'def f(x):\n    return f"{y}" if (y := x) else "no"\n'],
  ['an update of a parameter', 'def f(n):\n    n += 1\n    return n\n'],
  ['a remainder by one', loop('s.append(x % 1 // (3 - 2))')],
  ['a format', loop("s.append('%d' % 0)")],
  ['a format that has a name', 'def f(x):\n    fmt = "%d"\n    return fmt % 0 + str(x)\n'],
  ['a format that a method makes', 'def f(x):\n    return "Result: %d".strip() % 0\n'],
  ['one format or another', 'def f(s):\n    return ("%d" if s else "%x") % 0\n'],
  ['a format or a list', 'def f(s):\n    return ("%d" if s else []) % 0\n'],
  ['hints of names without a value', 'def f(xs: List[int]) -> List[int]:\n    return xs\n'],
  ['a sum with the list, which is a new one', loop('s.append(s + [x])')],
  ['a question about the list', loop('s.append(x in s)')],
  ['a copy', 'import copy\ndef f(xs):\n    ys = copy.copy(xs)\n    return ys\n'],
  ['an operator', 'import operator\ndef f(a, b):\n    return operator.add(a, b)\n'],
  ['a path', 'import os\ndef f(a, b):\n    return os.path.join(a, b)\n'],
  ['a pattern', 'import re\ndef f(s):\n    return re.split(",", s, 1)\n'],
  ['a counter', 'import itertools\ndef f(xs):\n    return list(zip(itertools.count(), xs))\n'],
  ['a module by another name', 'import numpy as np\ndef f(xs):\n    return list(np.sort(xs))\n'],
  ['an array', 'import numpy as np\ndef f(xs):\n    ys = np.array(xs)\n    ys.sort(0)\n    return ys % 0\n'],
  ['a queue by another name', 'from queue import Queue\ndef f(x):\n    q = p = Queue()\n    return p.get() or q\n'],
  ['names of a module', 'from math import *\ndef f(x):\n    return sqrt(x)\n'],
  ['a hint of a name that gets a value', 'def f(xs):\n    s: int\n    for s in xs:\n        s = s\n    return s\n'],
  ['a parameter made its own', 'def f(xs):\n    xs: list = xs\n    return xs\n'],
  ['a hint that nothing reads', 'def f(xs):\n    sum: int\n    return xs\n'],
  ['a name of the module that is made its own', 'sum = sum\ndef f(xs):\n    return sum(xs)\n'],
  ['names that have the values of each other', 'def f(x):\n    a = x\n    a, b = b, a = a, a\n    return a + b\n'],
  ['a date', 'def f(d, y):\n    return d.replace(year=y)\n'],
  ['arguments by keywords', 'def f(x):\n    return pow(base=x, exp=2) + round(number=x)\n'],
  ['a generator of pairs', 'def f(a, b):\n    return any(x > y for x, y in zip(a, b))\n'],
  ['a value or another', 'def f(d):\n    e = d or ""\n    return e.replace(2024)\n'],
  ['a walrus as an argument', 'def f(xs):\n    return n if len(n := xs) > 1 else print(m := 1, m)\n'],
  ['a parameter for a type', 'def f[T: int, *Ts, **P](x: T) -> T:\n    return x\n'],
  ['a name for a type', 'type A[K] = list[K]\ndef f(x: A[int]):\n    return x\n'],
  ['an import by a call', 'def f(x):\n    return __import__("math").sqrt(x)\n'],
  ['a default and a star', 'def f(x, *rest, k=1, **more):\n    return (x, rest, k, more)\n'],
])('%s may do', async (_, code) => {
  expect(await fails(code)).toBe(false)
})

const sumThen = (end: string) => `def f(xs):\n    s = 0\n    for x in xs:\n        s += x\n    ${end}\n`
const read = async (code: string) => givesNothing((await parsePython(code)) as PythonNode, { name: 'f' })

test.each([
  ['a bare return', sumThen('return')],
  ['None', sumThen('return None')],
  ['None in brackets', sumThen('return ((None))')],
  ['None before a comment', sumThen('return (None #\n    )')],
  ['no return at all', sumThen('s += 1')],
  ['a value of another function alone', sumThen('def g():\n        return s\n    g()')],
])('%s gives nothing', async (_, code) => {
  expect(await read(code)).toBe(true)
})

test.each([
  ['a value', sumThen('return s')],
  ['a value in a branch', sumThen('if s:\n        return s')],
  ['a generator', sumThen('yield s')],
  ['an empty tuple', sumThen('return ()')],
  ['a pair with None', sumThen('return s, None')],
  ['another name', 'def g(xs):\n    return\n'],
])('%s gives something', async (_, code) => {
  expect(await read(code)).toBe(false)
})
