import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { environment } from '../environment.ts'
import { UsageError } from '../usageError.ts'
import { textOption } from './optionKinds.ts'
import { readNamedFile } from './readNamedFile.ts'

export const passphraseOption = {
  'passphrase-file': textOption(
    'FILE',
    'file whose first line is the passphrase (default: WAGGLE_BACKUP_PASSPHRASE, else a prompt)',
  ),
}

/** Twelve random characters cannot be guessed at one guess a second. */
const MIN_LENGTH = 12
const MAX_FILE_BYTES = 4096

/**
 * The passphrase of a backup: from a file, from the environment, or typed without echo. Never from the command line, which every user of
 * the machine can see.
 *
 * @param isNew - for encryption: it is typed twice, and short ones are refused.
 * @throws {UsageError} if it is missing, too short, or the two entries differ.
 */
export async function readPassphrase(path: string | undefined, isNew: boolean): Promise<string> {
  const kept = path === undefined ? environment.backupPassphrase() : firstLine(path)
  const passphrase = kept ?? (await typed(isNew))
  if (isNew && passphrase.length < MIN_LENGTH)
    throw new UsageError(`A passphrase needs ${MIN_LENGTH} characters.`, {
      hint: 'Take five words that have nothing to do with each other, and keep them apart from the backup.',
    })
  return passphrase
}

function firstLine(path: string): string {
  const [line = ''] = readNamedFile(path, MAX_FILE_BYTES).split(/\r?\n/)
  if (line !== '') return line
  throw new UsageError(`The first line of ${path} is empty.`, {
    hint: 'Write the passphrase there, or correct --passphrase-file.',
  })
}

async function typed(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError('There is no passphrase, and no terminal to ask for it.', {
      hint: 'Set WAGGLE_BACKUP_PASSPHRASE, or name a file with --passphrase-file.',
    })
  const passphrase = await ask('Passphrase: ')
  if (isNew && passphrase !== (await ask('Again: ')))
    throw new UsageError('The two passphrases differ.', { hint: 'Run the command again.' })
  return passphrase
}

/** Reads one line from the terminal without echoing it. */
async function ask(question: string): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  const stop = new AbortController()
  terminal.once('SIGINT', () => stop.abort())
  terminal.once('close', () => stop.abort())
  process.stderr.write(question)
  try {
    return await terminal.question('', { signal: stop.signal })
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
