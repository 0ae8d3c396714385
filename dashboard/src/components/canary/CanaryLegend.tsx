/** A legend that uses shape as well as colour. */
export function CanaryLegend() {
  return (
    <figcaption className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-sm">
      <span className="inline-flex items-center gap-2">
        <span aria-hidden="true" className="h-1 w-7 rounded-full bg-amber" />
        Reward, as the judge model sees it
      </span>
      <span className="inline-flex items-center gap-2">
        <svg aria-hidden="true" width="28" height="10" viewBox="0 0 28 10" className="fill-ultraviolet">
          <circle cx="4" cy="5" r="4" />
          <circle cx="14" cy="5" r="1.6" />
          <circle cx="24" cy="5" r="4" />
        </svg>
        Pass@1, as execution shows it
      </span>
    </figcaption>
  )
}
