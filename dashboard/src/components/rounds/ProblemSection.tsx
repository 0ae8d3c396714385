import { shorten } from '#merge/format.ts'
import { chooseProblem, type Problem, problems } from '#merge/problems.ts'
import { type RoundView, roundHref } from '#merge/rounds/roundHref.ts'
import { type UncheckedBase, uncheckedBases } from '#merge/rounds/uncheckedBases.ts'
import { splitTests } from '#merge/tasks/splitTests.ts'
import type { RoundPayloads } from '#sources/gateway.ts'
import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { getTested } from '#sources/getTested.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from '../Notice.tsx'
import { Pager } from '../Pager.tsx'
import { PartDown } from '../PartDown.tsx'
import { AttemptList } from './AttemptList.tsx'
import { NoAttempts } from './NoAttempts.tsx'
import { ProblemPicker } from './ProblemPicker.tsx'
import { TaskTests } from './TaskTests.tsx'
import { WrongTests } from './WrongTests.tsx'

/** Each has up to some dozens of answers. */
const SOLVERS_PER_PAGE = 3

interface Props {
  payloads: Promise<Part<RoundPayloads>>
  /** The chain's record, which counts the solvers that committed. */
  record: Promise<Part<RoundAnswer>>
  view: RoundView
}

/** One of the round's problems at a time, and all that was tried at it. */
export async function ProblemSection({ payloads, record, view }: Props) {
  const [part, chain] = await Promise.all([payloads, record])
  const committed = chain.state === 'ready' ? (chain.data.round?.rolloutCommitments ?? 0) : null
  return (
    <section aria-labelledby="problems" className="mt-14">
      <h2 id="problems" className="text-3xl">
        Problems and solutions
      </h2>
      {part.state === 'down' ? (
        <div className="mt-4">
          <PartDown part={part} />
        </div>
      ) : (
        <>
          <Unchecked bases={uncheckedBases(part.data)} />
          <Body round={part.data.round} all={problems(part.data)} {...{ committed, view }} />
        </>
      )}
    </section>
  )
}

/** Why some seats called work unavailable. */
function Unchecked({ bases }: { bases: UncheckedBase[] }) {
  return bases.map(({ base, seats, of, peers }) => (
    <p key={base} className="mt-2 max-w-prose text-soft">
      {seats} of {of} seats cannot check base <span title={base}>{shorten(base)}</span>: they do not hold it, and voted
      unavailable on {peers} {peers === 1 ? 'solver' : 'solvers'}.
    </p>
  ))
}

interface BodyProps {
  round: number
  all: Problem[]
  /** Solvers that committed, by the chain; null if it is not known. */
  committed: number | null
  view: RoundView
}

function Body({ round, all, committed, view }: BodyProps) {
  const { page, shard } = view
  const shown = chooseProblem(all, view.task)
  if (shown === undefined)
    return (
      <div className="mt-4">
        <Notice title="The gateway node has no problems of this round.">
          It keeps the rounds in which it ran; tasks of a round to come arrive shortly before it.
        </Notice>
      </div>
    )
  const { statement, tests } = splitTests(shown.text)
  const attempts = shown.attempts.slice((page - 1) * SOLVERS_PER_PAGE, page * SOLVERS_PER_PAGE).map(attempt => ({
    ...attempt,
    tested: tests.length > 0 ? getTested(round, shown.taskHash, attempt.peerKey) : null,
  }))
  return (
    <div className="mt-4 grid gap-x-10 gap-y-8 lg:grid-cols-[20rem_1fr]">
      <div>
        <ProblemPicker
          all={all.map(({ taskHash, attempts }) => ({ taskHash, solvers: attempts.length }))}
          shown={shown.taskHash}
          {...{ round, shard }}
        />
        <h3 className="mt-6 text-xl">The problem</h3>
        <p className="mt-1 text-sm text-soft">
          Level {shown.level}
          {shown.proposer && `, proposed by ${shown.proposer}`}
        </p>
        <pre className="mt-3 overflow-x-auto rounded-cell bg-honey-pale px-4 py-3 whitespace-pre-wrap figures text-sm">
          {statement}
        </pre>
        <TaskTests tests={tests} />
      </div>
      <div className="min-w-0">
        {attempts.length > 0 ? (
          <>
            <WrongTests tested={attempts.flatMap(({ tested }) => (tested === null ? [] : [tested]))} />
            <AttemptList attempts={attempts} />
          </>
        ) : (
          <NoAttempts round={round} committed={committed} others={all.some(({ attempts }) => attempts.length > 0)} />
        )}
        <Pager
          page={page}
          pages={Math.ceil(shown.attempts.length / SOLVERS_PER_PAGE)}
          href={to => roundHref(round, { shard, task: shown.taskHash, page: to })}
        />
      </div>
    </div>
  )
}
