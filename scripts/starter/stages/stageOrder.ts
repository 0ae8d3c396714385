/** All stages. Those of one inner array do not need each other and run at the same time, a thread each. */
export const stageOrder = [
  ['tokenizer'],
  ['solver', 'judge'],
  ['pool', 'calibration'],
  ['attack-0', 'attack-1'],
  ['hardening'],
  ['export'],
  ['measure', 'swarm'],
  ['card'],
] as const
export type StageName = (typeof stageOrder)[number][number]
