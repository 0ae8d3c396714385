import { testHostileSwarm } from './testHostileSwarm.ts'

for (const seed of ['2', '3', '4']) testHostileSwarm(seed)
