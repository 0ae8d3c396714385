import { channel } from 'node:diagnostics_channel'

/** Told of each session of this thread that was made, and of each run that ended, also where it failed: what only waits or hangs tells nothing. */
export const sessionProgress = channel('waggle:session')
