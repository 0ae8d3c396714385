import { randomStream } from '../../node/model/src/base/random.ts'

const FALSE_START_SHARE = 0.25

/**
 * Draws kills from a seed: `kills` of them spread over a time, each of a process drawn from those that run then.
 *
 * @param spanMs - over which the kills are spread; the wait before each is between half and one and a half times their mean.
 */
export function createKillPlan(seed: string, kills: number, spanMs: number) {
  const random = randomStream('chaos kills', seed)
  const starts = randomStream('chaos false starts', seed)
  const meanMs = spanMs / kills
  return {
    /** @returns milliseconds until the next kill. */
    waitMs: (): number => meanMs * (0.5 + random.uniform()),
    /** Whether the killed peer's endpoint lies as soon as it starts again. */
    startsFalsely: (): boolean => starts.uniform() < FALSE_START_SHARE,
    /** Names are sorted first: a draw must not depend on the order in which processes came up. */
    choose(running: Iterable<string>): string | null {
      const names = [...running].sort()
      return names.length === 0 ? null : (names[random.integer(names.length)] ?? null)
    },
  }
}
