import { channel } from 'node:diagnostics_channel'

/** Called for each session created in this thread and for each run that ended or failed, so that waiting or hanging runs show no progress. */
export const sessionProgress = channel('waggle:session')
