/**
 * Loaded before a process's own code (`--import`): its wall clock is off by `CHAOS_SKEW_MS` milliseconds. Timers and `performance.now()`
 * follow the machine, as they do where only the clock is set wrong.
 */
const skewMs = Number(process.env.CHAOS_SKEW_MS)
const now = Date.now.bind(Date)

Date.now = () => now() + skewMs
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + skewMs] : args, newTarget),
})
