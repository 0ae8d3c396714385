/** When something happened, in the time of the chain's block, to the second. */
export function BlockTime({ atSec }: { atSec: number }) {
  const at = new Date(atSec * 1000)
  return (
    <time dateTime={at.toISOString()} title={at.toISOString()} className="figures">
      {at.toISOString().slice(11, 19)} UTC
    </time>
  )
}
