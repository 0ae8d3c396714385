import { test } from 'vitest'
import { playUnharmed } from './playUnharmed.ts'

test.each(['1', '2'])(
  'a fifth of 100 peers that are hostile, seats among them, crashes, lying endpoints, full disks, a partition and reorganisations cost honest peers nothing, seed %s',
  seed => playUnharmed(seed, 100),
)
