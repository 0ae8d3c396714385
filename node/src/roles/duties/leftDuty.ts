import type { Duty } from '#chain/peers/readStake.ts'
import type { Journal } from '#store/journal.ts'

type Memory = Pick<Journal, 'getState' | 'setState'>

const keyOf = (duty: Duty) => `left ${duty}`

/**
 * Whether the operator gave up this duty. The chain forgets that with the withdrawal: it then cannot tell the peer from one that never staked.
 */
export function hasLeft(memory: Memory, duty: Duty): boolean {
  return memory.getState(keyOf(duty)) === true
}

/** Stores that the operator gave up a duty, or resumed it. */
export function rememberLeft(memory: Memory, duty: Duty, isLeft: boolean): void {
  if (hasLeft(memory, duty) !== isLeft) memory.setState(keyOf(duty), isLeft)
}
