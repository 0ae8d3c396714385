/** How long a worker may give no sign of life while it has work. It follows what the work takes on this machine. */
export interface Patience {
  readonly checkEveryMs: number
  limitMs(): number
  /** A worker that is well was silent for so long. */
  survived(silentMs: number): void
  /** A worker was ended for its silence. If it was only slow, its successor gets there in twice the time. */
  lost(): void
  /** A worker did what it was asked. */
  answered(): void
}

/** One run of a large model over a long batch takes minutes on a slow CPU, and gives no sign before it ends. */
const USUAL_MS = 10 * 60_000
/** The next run may take longer than the longest so far. */
const MARGIN = 4
const CHECK_EVERY_MS = 5_000

export function createPatience(usualMs = USUAL_MS): Patience {
  let [longestMs, losses] = [0, 0]
  return {
    checkEveryMs: CHECK_EVERY_MS,
    limitMs: () => Math.max(usualMs, MARGIN * longestMs) * 2 ** losses,
    survived(silentMs) {
      longestMs = Math.max(longestMs, silentMs)
    },
    lost() {
      losses++
    },
    answered() {
      losses = 0
    },
  }
}

/** So many checks missed, and who watches was away. */
const AWAY_CHECKS = 4

interface SilenceWatch {
  /** The worker gave a sign of life. */
  heard(): void
  stop(): void
}

/**
 * Watches for a worker that hangs or was stopped: that has work, and is silent for longer than the patience allows.
 *
 * @param hasWork - one that has none may be silent.
 * @param hung - called once, with the silence in ms.
 */
export function watchSilence(
  patience: Patience,
  hasWork: () => boolean,
  hung: (silentMs: number) => void,
  nowMs = () => performance.now(),
): SilenceWatch {
  let [heardMs, checkedMs] = [nowMs(), nowMs()]
  // Whoever was away itself, as a laptop that slept, has not listened.
  const wasAway = (now: number) => now - checkedMs > AWAY_CHECKS * patience.checkEveryMs
  const checking = setInterval(() => {
    const now = nowMs()
    if (!hasWork() || wasAway(now)) heardMs = now
    checkedMs = now
    const silentMs = now - heardMs
    if (silentMs <= patience.limitMs()) return
    clearInterval(checking)
    patience.lost()
    hung(silentMs)
  }, patience.checkEveryMs).unref()
  return {
    heard() {
      const now = nowMs()
      if (hasWork() && !wasAway(now)) patience.survived(now - heardMs)
      heardMs = now
    },
    stop: () => clearInterval(checking),
  }
}
