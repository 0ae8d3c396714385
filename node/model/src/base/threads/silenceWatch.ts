/** Time for which a worker may be silent while it has work. Adapts to the speed of this machine. */
export interface Patience {
  readonly checkEveryMs: number
  limitMs(): number
  /** Reports how long a healthy worker was silent. */
  survived(silentMs: number): void
  /** Reports that a worker was killed for its silence. If it was only slow, its successor gets twice the time. */
  lost(): void
  /** Reports that a worker answered a call. */
  answered(): void
}

/** One run of a large model over a long batch takes minutes on a slow CPU, without a sign of life before it ends. */
const USUAL_MS = 10 * 60_000
/** Margin: the next run may take longer than the longest so far. */
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

/** After this many missed checks, the watching process itself was suspended. */
const AWAY_CHECKS = 4

interface SilenceWatch {
  /** Reports a sign of life of the worker. */
  heard(): void
  stop(): void
}

/**
 * Detects a worker that hangs or was stopped: it has work, and is silent for longer than the patience allows.
 *
 * @param hasWork - an idle worker may be silent.
 * @param hung - called once, with the silence in ms.
 */
export function watchSilence(
  patience: Patience,
  hasWork: () => boolean,
  hung: (silentMs: number) => void,
  nowMs = () => performance.now(),
): SilenceWatch {
  let [heardMs, checkedMs] = [nowMs(), nowMs()]
  // A process that was suspended itself, as on a sleeping laptop, could not hear the worker.
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
