import { settlementOutcomes } from '@waggle/deployments/protocol'

/** Outcomes of settlements and verdicts, by the names of the index. */
const names = { scored: 'scored', unavailable: 'unavailable', 'no quorum': 'noQuorum', void: 'void' } as const

/** The name of an outcome by the contracts' number; undefined for those that only challenges give. */
export function outcomeOf(number: number): (typeof names)[keyof typeof names] | undefined {
  return names[settlementOutcomes[number] as keyof typeof names]
}
