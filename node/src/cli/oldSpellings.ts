/** A deprecated spelling of a call, and the current one. */
export interface Respelled {
  old: string
  now: string
  argv: string[]
}

const isHelp = (word: string) => word === '--help' || word === '-h'
/** Arguments of a command that formerly had no action. No action is as long as the shortest peer id. */
const isNoAction = (word: string): boolean => (word.startsWith('-') && !isHelp(word)) || word.length > 20

/** The current spelling of a call in a deprecated spelling; null if the call is current. */
export function respell([name = '', ...rest]: readonly string[]): Respelled | null {
  if (name === 'env') return { old: 'env', now: 'environment', argv: ['environment', ...rest] }
  if (name === 'challenges') return { old: 'challenges', now: 'challenge', argv: ['challenge', ...rest] }
  if (name === 'stakes') return { old: 'stakes', now: 'stake show', argv: ['stake', 'show', ...rest] }
  if (rest[0] === undefined || !isNoAction(rest[0])) return null
  if (name === 'environment')
    return { old: 'environment', now: 'environment create', argv: ['environment', 'create', ...rest] }
  if (name !== 'challenge') return null
  if (rest.includes('--fault')) {
    const argv = ['challenge', 'prove', ...rest.filter(word => word !== '--fault')]
    return { old: 'challenge --fault', now: 'challenge prove', argv }
  }
  return { old: 'challenge', now: 'challenge demand', argv: ['challenge', 'demand', ...rest] }
}
