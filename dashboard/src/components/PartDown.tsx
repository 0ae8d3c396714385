import type { Part, Source, Trouble } from '#sources/part.ts'
import { AskAgain } from './AskAgain.tsx'
import { Notice } from './Notice.tsx'

type Down = Extract<Part<unknown>, { state: 'down' }>

const names: Record<Source, { title: string; variable: string; start: string }> = {
  indexer: {
    title: 'The indexer',
    variable: 'WAGGLE_INDEXER_URL',
    start: 'Points and history come back once it runs again.',
  },
  gateway: {
    title: 'The gateway node',
    variable: 'WAGGLE_GATEWAY_URL',
    start: 'Tasks, solutions and the canary come back once it runs again; what the chain says is not affected.',
  },
  chain: { title: 'The chain', variable: 'WAGGLE_RPC_URL', start: 'The round clock resumes once it answers.' },
}

const says: Record<Trouble, (url: string | null) => string> = {
  unset: () => 'has no address here.',
  slow: url => `at ${url} has not answered in time.`,
  unreachable: url => `at ${url} does not answer.`,
  refused: url => `at ${url} could not answer what this page asks for.`,
  unreadable: url => `at ${url} answered in a form that this dashboard does not know.`,
}

function todo(source: Source, trouble: Trouble): string {
  const { variable, start } = names[source]
  if (trouble === 'unset') return `Set ${variable} and start the dashboard again; npm run swarm sets it for you.`
  if (trouble === 'slow')
    return 'It is running, but busy. This page retries automatically. If this persists, check its log and the load of its machine.'
  if (trouble === 'refused')
    return 'Check your search, and the address of this page. If every page says this, the dashboard’s log has the reason.'
  if (trouble === 'unreadable')
    return `Check that ${variable} names the right service, and that both run the same release.`
  return `${start} Check that it runs (npm run swarm starts it for a swarm of your own), and that ${variable} is right.`
}

/** Replaces a part whose source is down: names the source, and what to do. */
export function PartDown({ part }: { part: Down }) {
  return (
    <Notice trouble title={`${names[part.source].title} ${says[part.trouble](part.url)}`}>
      <p>{todo(part.source, part.trouble)}</p>
      {part.trouble === 'slow' && <AskAgain />}
    </Notice>
  )
}
