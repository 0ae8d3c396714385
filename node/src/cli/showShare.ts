/** Reports progress on stderr for every tenth of the work, so that a log stays readable; stdout is for results. */
export function showShare(tell: (tenths: number) => string): (done: number) => void {
  let shown = -1
  return done => {
    const tenths = Math.floor(10 * done)
    if (tenths === shown) return
    shown = tenths
    console.error(tell(tenths))
  }
}
