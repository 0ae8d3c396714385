import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shellWord.ts'

test('plain names stay as they are, and every other word is one word to a shell', () => {
  expect(['.waggle/peers/solver-1', '/home/me/my peer'].map(shellWord)).toEqual([
    '.waggle/peers/solver-1',
    "'/home/me/my peer'",
  ])
  const words = ['', 'my peer', "it's", '$HOME', 'a"b`c', 'é;&|<>*?~#(\\', 'two\nlines']
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
})
