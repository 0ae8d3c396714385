import { formatPoints } from '../format.ts'
import { type Appeal, type Ruling, rulings } from './rulings.ts'

export interface AppealCase {
  settledMilli: number
  finalMilli: number | null
  isClosed: boolean
  isMoot: boolean
  /** By level. */
  appeals: { items: Appeal[] }
}

/** Text on the subject of an appeal, or on its result, jury by jury. In points: a peer without a score has 0 of them. */
export function appealText({ appeals, settledMilli, finalMilli, isClosed, isMoot }: AppealCase): string {
  if (isClosed) {
    const ruled = rulings(settledMilli, appeals.items, finalMilli !== settledMilli).map(rulingText)
    return [...ruled, ...(isMoot ? ['the round was lost for another reason, and its points with it'] : [])].join('; ')
  }
  const before = rulings(settledMilli, appeals.items.slice(0, -1), true)
  const standing = formatPoints(before.at(-1)?.standingMilli ?? settledMilli)
  const open = `its ${standing} points are appealed to ${appeals.items.at(-1)?.drawn ?? 0} seats`
  return [...before.map(rulingText), open].join('; ').replace(/^its/, 'Its')
}

function rulingText({ seats, appealedMilli, standingMilli, isReached }: Ruling): string {
  const appealed = formatPoints(appealedMilli)
  if (!isReached) return `${seats} seats came to no verdict on its ${appealed} points`
  if (standingMilli === appealedMilli) return `${seats} seats let its ${appealed} points stand`
  return `${seats} seats replaced ${appealed} points by ${formatPoints(standingMilli)}`
}
