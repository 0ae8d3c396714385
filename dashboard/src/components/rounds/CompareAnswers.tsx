'use client'

import { type ReactNode, useEffect, useState } from 'react'
import type { LineChange } from '#merge/lineChanges.ts'
import type { NumberedRollout } from '#merge/problems.ts'

const says = {
  kept: { sign: ' ', name: '', tone: '' },
  gone: { sign: '-', name: 'only in the first: ', tone: 'text-thorn' },
  new: { sign: '+', name: 'only in the second: ', tone: 'text-leaf' },
} as const

/** A line diff of two answers of a solver, initially its best and its worst. */
export function CompareAnswers({ name, rollouts }: { name: string; rollouts: readonly NumberedRollout[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mt-3" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary className="py-1 text-sm font-medium text-soft underline">Compare two answers</summary>
      {isOpen && <Comparison name={name} rollouts={rollouts} />}
    </details>
  )
}

function Comparison({ name, rollouts }: { name: string; rollouts: readonly NumberedRollout[] }) {
  const [one, setOne] = useState(rollouts[0]?.number ?? 1)
  const [other, setOther] = useState(rollouts.at(-1)?.number ?? 1)
  const changes = useChanges(textOf(rollouts, one), textOf(rollouts, other))
  return (
    <div className="mt-2 rounded-cell border border-line bg-comb">
      <p className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 text-sm text-soft">
        <Choice label="The first" rollouts={rollouts} value={one} onChange={setOne} />
        <Choice label="The second" rollouts={rollouts} value={other} onChange={setOther} />
      </p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
        tabIndex={0}
        aria-label={`Two answers of ${name}`}
        className="figures overflow-x-auto px-4 py-3 text-sm leading-relaxed"
      >
        {changes?.map(({ kind, line, place }) => (
          <div key={place} className={`w-max whitespace-pre ${says[kind].tone}`}>
            <span aria-hidden="true">{says[kind].sign} </span>
            <span className="sr-only">{says[kind].name}</span>
            {line}
          </div>
        ))}
      </section>
    </div>
  )
}

const textOf = (rollouts: readonly NumberedRollout[], wanted: number) =>
  rollouts.find(({ number }) => number === wanted)?.text ?? ''

interface ChoiceProps {
  label: string
  rollouts: readonly NumberedRollout[]
  value: number
  onChange: (number: number) => void
}

function Choice({ label, rollouts, value, onChange }: ChoiceProps): ReactNode {
  return (
    <label>
      {label}{' '}
      <select
        className="rounded-cell border border-soft bg-wax px-2 py-1 text-ink"
        value={value}
        onChange={event => onChange(Number(event.target.value))}
      >
        {rollouts.map(({ number, scoreMilli }) => (
          <option key={number} value={number}>
            Answer {number}
            {scoreMilli === null ? '' : `: ${scoreMilli}`}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Null until the diff code has loaded. */
function useChanges(one: string, other: string): LineChange[] | null {
  const [changes, setChanges] = useState<LineChange[] | null>(null)
  useEffect(() => {
    let current = true
    void import('#merge/lineChanges.ts').then(({ lineChanges }) => {
      if (current) setChanges(lineChanges(one, other))
    })
    return () => {
      current = false
    }
  }, [one, other])
  return changes
}
