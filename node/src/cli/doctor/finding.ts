/** Result of one check. `advice` is the remedy for a warning or a failure. */
export type Finding = {
  check: string
  state: 'ok' | 'warning' | 'failure'
  found: string
  advice?: string
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found }
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, state: 'warning', found, advice }
}

export function failure(check: string, found: string, advice: string): Finding {
  return { check, state: 'failure', found, advice }
}
