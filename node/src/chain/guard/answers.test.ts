import { expect, test } from 'vitest'
import { lacksState } from './answers.ts'

test.each([
  ['missing trie node 5f3c (path ) state 0x5f3c is not available', true],
  ['header not found', true],
  ['required historical state unavailable (reexec=128)', true],
  ['old data not available due to pruning', true],
  ['state at block #984 is pruned', true],
  ['No state available for block 0x5f3c', true],
  ['World state unavailable', true],
  ['archive requests need another plan', true],
  ['too many requests', false],
  ['no answer within 10 s', false],
  ['HTTP status 503', false],
  ['The chain at https://archive.example gave no valid answer (HTTP status 503).', false],
  ['internal error', false],
])('%s: the state of the block is gone: %s', (message, isGone) => expect(lacksState(message)).toBe(isGone))
