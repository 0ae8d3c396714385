export interface Earnings {
  mean: number
  /** Standard error of the mean. */
  error: number
}

/** Earnings of an attack and of honest play, run by run. */
export interface AttackRow {
  attack: string
  /** The defence that stops it. */
  defence: string
  /** Reason why it may earn more than honest play, if there is one. */
  leftOpen: string | null
  unit: string
  runs: number
  earned: Earnings
  honest: Earnings
  /** Attack less honest play, in the same run. */
  gain: Earnings
  /** The same without the defence. */
  gainUndefended: Earnings
}

/** Runs of one way to play, by seed. */
export interface Runs {
  attack: readonly number[]
  honest: readonly number[]
}

export function attackRow(
  { name, defence, leftOpen }: { name: string; defence: string; leftOpen?: string },
  unit: string,
  defended: Runs,
  undefended: Runs,
): AttackRow {
  return {
    attack: name,
    defence,
    leftOpen: leftOpen ?? null,
    unit,
    runs: defended.attack.length,
    earned: summarise(defended.attack),
    honest: summarise(defended.honest),
    gain: summarise(differences(defended)),
    gainUndefended: summarise(differences(undefended)),
  }
}

/** More than chance explains: above twice the standard error. */
function pays({ mean, error }: Earnings): boolean {
  return mean > 2 * error
}

/** Unexpected results of a simulation, in words. */
export function findFaults(rows: readonly AttackRow[]): string[] {
  return rows.flatMap(({ attack, defence, leftOpen, gain, gainUndefended }) => [
    ...(pays(gain) && leftOpen === null ? [`${attack} earns more than honest play`] : []),
    // An attack that does not pay without its defence would show that this simulation cannot fail.
    ...(pays(gainUndefended) ? [] : [`${attack} does not pay even without its defence: ${defence}`]),
  ])
}

function differences({ attack, honest }: Runs): number[] {
  return attack.map((one, run) => one - (honest[run] ?? 0))
}

function summarise(earned: readonly number[]): Earnings {
  const mean = earned.reduce((sum, one) => sum + one, 0) / earned.length
  const variance = earned.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, earned.length - 1)
  return { mean, error: Math.sqrt(variance / earned.length) }
}
