import { formatShare } from '#merge/format.ts'
import { formatTokens } from '#merge/formatTokens.ts'
import { type ChoiceRow, choiceRows } from '#merge/games/choiceRows.ts'
import type { Game } from '#sources/getGames.ts'

/** Stakes on each choice, and their part of all. A choice is a sentence: it has a line of its own above its figures. */
export function ChoiceTable({ game, nameOf }: { game: Game; nameOf: (choice: number) => string }) {
  return (
    <table className="block w-full text-left">
      <thead className="sr-only">
        <tr>
          {['Choice', 'Of all stakes', 'Staked'].map(title => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block">
        {choiceRows(game).map(row => (
          <Row key={row.choice} row={row} name={nameOf(row.choice)} mark={markOf(game, row.choice)} />
        ))}
      </tbody>
    </table>
  )
}

function markOf({ winner, answer }: Game, choice: number): string | null {
  if (winner !== null) return winner === choice ? 'won' : null
  return answer === choice ? "Judge's answer" : null
}

function Row({ row, name, mark }: { row: ChoiceRow; name: string; mark: string | null }) {
  return (
    <tr className="grid grid-cols-[1fr_auto] gap-x-4 border-t border-line px-4 py-2 first:border-t-0">
      <th scope="row" className="col-span-2 min-w-0 break-words font-medium">
        <span className="figures mr-2 text-sm font-normal text-soft" title="Number of the choice">
          {row.choice}
        </span>
        {name}
        {mark && <span className="ml-2 text-sm font-normal text-leaf">{mark}</span>}
      </th>
      <td className="flex items-center gap-2">
        <span aria-hidden="true" className="h-2 flex-1 rounded-full bg-line">
          <span className="block h-2 rounded-full bg-amber" style={{ width: `${row.share * 100}%` }} />
        </span>
        <span className="figures w-14 text-right">{formatShare(row.share)}</span>
      </td>
      <td className="min-w-28 text-right">
        <span className="figures">{formatTokens(row.stake)}</span> <span className="text-sm text-soft">Nectar</span>
      </td>
    </tr>
  )
}
