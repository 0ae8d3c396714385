/** Told apart by stroke as well as by colour. */
const strokes = [
  ['var(--amber)', '0'],
  ['var(--ultraviolet)', '6 4'],
  ['var(--leaf)', '2 4'],
  ['var(--thorn)', '10 4 2 4'],
] as const

/** Stroke of a choice's line, in every chart of its game. */
export function strokeOf(choice: number) {
  const [stroke, strokeDasharray] = strokes[choice % strokes.length] ?? strokes[0]
  return { stroke, strokeDasharray }
}

/** Names of choices by their lines. */
export function ChoiceLegend({ choices }: { choices: { choice: number; name: string }[] }) {
  return (
    <figcaption className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
      {choices.map(({ choice, name }) => (
        <span key={choice} className="flex items-center gap-2">
          <svg width="28" height="4" aria-hidden="true" className="shrink-0">
            <path d="M0 2h28" strokeWidth="3" {...strokeOf(choice)} />
          </svg>
          {name}
        </span>
      ))}
    </figcaption>
  )
}
