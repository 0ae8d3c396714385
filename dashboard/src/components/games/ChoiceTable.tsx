import { formatShare } from '#merge/format.ts'
import { formatTokens } from '#merge/formatTokens.ts'
import { type ChoiceRow, choiceRows } from '#merge/games/choiceRows.ts'
import type { Game } from '#sources/getGames.ts'

/** Stakes on each choice, and their part of all. */
export function ChoiceTable({ game, nameOf }: { game: Game; nameOf: (choice: number) => string }) {
  return (
    <table className="w-full border-collapse text-left">
      <thead className="text-sm text-soft">
        <tr>
          <th scope="col" className="px-4 py-2 font-medium">
            Choice
          </th>
          <th scope="col" className="py-2 font-medium">
            Of all stakes
          </th>
          <th scope="col" className="px-4 py-2 text-right font-medium">
            Staked
          </th>
        </tr>
      </thead>
      <tbody>
        {choiceRows(game).map(row => (
          <Row key={row.choice} row={row} name={nameOf(row.choice)} mark={markOf(game, row.choice)} />
        ))}
      </tbody>
    </table>
  )
}

function markOf({ winner, answer }: Game, choice: number): string | null {
  if (winner !== null) return winner === choice ? 'won' : null
  return answer === choice ? "judge's answer" : null
}

function Row({ row, name, mark }: { row: ChoiceRow; name: string; mark: string | null }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="max-w-40 break-words px-4 py-2 font-medium">
        <span className="figures mr-2 text-sm font-normal text-soft" title="Number of the choice">
          {row.choice}
        </span>
        {name}
        {mark && <span className="ml-2 text-sm font-normal text-leaf">{mark}</span>}
      </th>
      <td className="w-1/3 py-2">
        <span className="flex items-center gap-2">
          <span aria-hidden="true" className="h-2 flex-1 rounded-full bg-line max-sm:hidden">
            <span className="block h-2 rounded-full bg-amber" style={{ width: `${row.share * 100}%` }} />
          </span>
          <span className="figures w-12 text-right">{formatShare(row.share)}</span>
        </span>
      </td>
      <td className="figures px-4 py-2 text-right">{formatTokens(row.stake)}</td>
    </tr>
  )
}
