import { test } from 'vitest'
import { playUnharmed } from './playUnharmed.ts'

test.each(['1', '2'])(
  'a fifth of 100 peers that are hostile, crashes, lying endpoints, a partition and reorganisations cost honest peers nothing, seed %s',
  seed => playUnharmed(seed, 100),
)
