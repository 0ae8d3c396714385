/** Waggle's mark: a cell of comb, and in it the run of a dance. */
export function Mark({ size = 34 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 48 48" aria-hidden="true" className="shrink-0">
      <path d="M24 2 43.1 13v22L24 46 4.9 35V13Z" className="fill-honey" />
      <g fill="none" className="stroke-night" strokeLinecap="round" strokeLinejoin="round" transform="rotate(38 24 24)">
        <path d="M24 12C7 6 7 42 24 36M24 12c17-6 17 30 0 24" strokeWidth="2" opacity="0.75" />
        <path d="M24 36l3.2-3-6.4-3.4 6.4-3.6-6.4-3.6 6.4-3.6-6.4-3.6L24 12" strokeWidth="3.2" />
      </g>
    </svg>
  )
}
