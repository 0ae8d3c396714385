const LEVELS = [1, 2, 3, 4, 5]

/** The tasks' difficulty as filled cells of comb: level 3 of 5 fills three. */
export function LevelCells({ level }: { level: number }) {
  return (
    <span className="inline-flex items-center gap-2">
      <svg width="112" height="25" viewBox="0 0 112 25" aria-hidden="true">
        {LEVELS.map(cell => (
          <path
            key={cell}
            transform={`translate(${11 + (cell - 1) * 22.4} 12.5)`}
            d="M0-11 9.5-5.5V5.5L0 11-9.5 5.5V-5.5Z"
            strokeWidth="1.5"
            className={cell <= level ? 'fill-honey stroke-honey-ink' : 'fill-none stroke-line'}
          />
        ))}
      </svg>
      <span className="font-medium">Level {level} of 5</span>
    </span>
  )
}
