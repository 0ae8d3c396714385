import type { Member } from './cast.ts'
import { SPEC } from './facts.ts'
import { type Game, spendGas } from './game.ts'
import { fairTexts, type Proposal, proposalBytes, taskText, UNREADABLE } from './world.ts'

const COUNT = 2 * SPEC.tasksPerRound

/** Commits to secrets two rounds ahead, and proposes for the next. */
export async function playProposers(game: Game, now: number, isOver: boolean): Promise<void> {
  const { ledger, cast, strategy, setting } = game
  for (const proposer of cast.proposers) if (!isOver) await ledger.commitSecret(now + 2, proposer)
  if (now === 0 || isOver) return
  const round = now + 1
  const fair = cast.proposers.map(proposer => ({ proposer, texts: fairTexts(game.facts, round, proposer) }))
  const [rival, own] = fair as unknown as [Proposal, Proposal]
  const texts = ownTexts(game, round, own, rival)
  // A proposer that foresees a proposal is on the chain before it.
  const isFirst = strategy.proposes === 'foreseen' && !setting.defences.secretSeeds
  const order = isFirst ? [{ ...own, texts }, rival] : [rival, { ...own, texts }]
  const made: Proposal[] = []
  for (const proposal of order) if (await propose(game, round, proposal)) made.push(proposal)
  game.proposals.set(round, made)
  for (const { proposer } of fair) if (!made.some(one => one.proposer === proposer)) game.late.set(round, [])
}

/** Late proposals, shown when a round is settled: refused unless tasks are gossip. Withheld secrets are shown to the chain. */
export async function playLateProposals(game: Game, round: number): Promise<void> {
  const { ledger, cast, strategy, proposals } = game
  for (const proposer of cast.proposers) {
    if (round < 2 || proposals.get(round)?.some(made => made.proposer === proposer)) continue
    const late = { proposer, texts: lateTexts(round, proposer) }
    const isShown = proposer.isOwn && strategy.proposes === 'late' && (await propose(game, round, late))
    if (isShown) game.late.set(round, [late])
    else await ledger.challengeSecret(round, proposer)
  }
}

export const lateTexts = (round: number, { number }: Member) =>
  texts(COUNT, at => taskText(300, `${number} ${round} ${at}`))

async function propose(game: Game, round: number, proposal: Proposal): Promise<boolean> {
  if (proposal.texts.length === 0) return false
  const { proposer, texts: asked } = proposal
  spendGas(game, proposer, 'propose')
  return game.ledger.propose(round, proposer, asked.length, proposalBytes(proposal))
}

function ownTexts({ strategy }: Game, round: number, own: Proposal, rival: Proposal): readonly string[] {
  const named = (at: number) => `${own.proposer.number} ${round} ${at}`
  const all = (easiness: number) => texts(COUNT, at => taskText(easiness, named(at)))
  switch (strategy.proposes) {
    case 'fair':
      return own.texts
    case 'easy':
      return all(300)
    case 'hard':
      return all(-300)
    case 'uneven':
      return texts(COUNT, at => taskText(at % 2 === 0 ? 400 : -400, named(at)))
    case 'unreadable':
      return texts(COUNT, () => UNREADABLE)
    case 'few':
      return own.texts.slice(0, 2)
    case 'copied':
    case 'foreseen':
      return rival.texts
    case 'none':
    case 'late':
      return []
  }
}

function texts(length: number, text: (at: number) => string): string[] {
  return Array.from({ length }, (_, at) => text(at))
}
