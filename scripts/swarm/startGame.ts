import { type GameModules, type PlayedGame, playGame } from './playGame.ts'

/** Plays a game of the market during the rounds. A failure is logged, and ends nothing. */
export function startGame(modules: Omit<GameModules, 'onOpened'>, say: (line: string) => void) {
  let isOpen = false
  let played: PlayedGame | null = null
  const onOpened = () => {
    isOpen = true
  }
  const ended = playGame({ ...modules, onOpened })
    .then(game => {
      played = game
      if (game !== null) say(`market: game ${game.gameId} was played; the winner was paid ${game.payout} Nectar`)
    })
    .catch(error => {
      if (!modules.signal.aborted) say(`market: ${(error as Error).message}`)
    })
    .finally(() => {
      isOpen = false
    })
  return { ended, isOpen: () => isOpen, result: () => played }
}
