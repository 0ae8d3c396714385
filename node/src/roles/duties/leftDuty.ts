import type { Duty } from '#chain/peers/readStake.ts'
import type { Journal } from '#store/journal.ts'

type Memory = Pick<Journal, 'getState' | 'setState'>

const keyOf = (duty: Duty) => `left ${duty}`

/**
 * Whether the operator gave this duty up. The chain forgets that with the withdrawal: to it the peer is then as one that
 * never staked.
 */
export function hasLeft(memory: Memory, duty: Duty): boolean {
  return memory.getState(keyOf(duty)) === true
}

/** Remembers that the operator gave a duty up, or has taken it up again. */
export function rememberLeft(memory: Memory, duty: Duty, isLeft: boolean): void {
  if (hasLeft(memory, duty) !== isLeft) memory.setState(keyOf(duty), isLeft)
}
