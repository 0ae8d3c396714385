import type { JudgedAnswers } from '../roleCounts.ts'

/** A policy's score by the judge and by execution, on the same held-out samples. */
export type CanaryPoint = {
  round: number
  peerId: string
  peerKey: string
  name: string
  /** Mean composite score. */
  reward: number
  predicted: number | null
  passAt1: number
  /** Agreement of the judge with execution, by answer; missing in points of earlier releases. */
  judge?: JudgedAnswers
  tasks: number
  samples: number
  /** By family of tasks, if the environment has families; points of earlier releases lack it. */
  families?: { family: string; samples: number; passed: number }[]
}
