import type { Scalars } from './eventFile.ts'
import type { TrainingStep } from './trainingLog.ts'

/** Figures of a step as curves: those that were measured, by whose groups they are of; of other peers each has its own. */
export function stepScalars(step: TrainingStep): Scalars {
  const whose = step.ownGroups > 0 ? 'own' : 'others'
  const { levels, proposers, families, datasets, peer, failure, ...figures } = step
  const numbers = Object.entries(figures).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  const passes = [
    ...levels.map(one => [`level ${one.level}`, one] as const),
    ...proposers.map(one => [`proposer ${one.proposer}`, one] as const),
    ...families.map(one => [`family ${one.family}`, one] as const),
    ...datasets.map(one => [`dataset ${one.dataset}`, one] as const),
  ].flatMap(([of, { averageAtK, passAt1, passAtK, samples }]) => [
    [`${whose} ${of}/average@${samples}`, averageAtK] as const,
    [`${whose} ${of}/pass@1`, passAt1.value] as const,
    [`${whose} ${of}/pass@${samples}`, passAtK.value] as const,
  ])
  return Object.fromEntries([
    ...numbers.map(([name, value]) => [`${whose}/${name}`, value] as const),
    ...(peer === null ? [] : [[`peer ${peer}/pass@1`, step.passAt1] as const]),
    ...passes,
    [`${whose}/kept`, failure === null ? 1 : 0],
  ])
}
