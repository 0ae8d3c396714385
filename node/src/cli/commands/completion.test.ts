import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { verbs } from '../verbs.ts'
import { completionFor } from './completion.ts'

/** Completions that bash offers for a line, by the script. */
function offered(script: string, words: readonly string[]): string[] {
  const line = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _waggle`
  const shown = execFileSync('bash', ['-c', `${script}\n${line}\nprintf '%s\\n' "\${COMPREPLY[@]}"`])
  return shown.toString().trim().split('\n')
}

test('bash completes commands, and the actions and options of the command that stands there', async () => {
  const script = await completionFor('bash', verbs)
  expect(offered(script, ['waggle', 'sta'])).toEqual(['start', 'status', 'stake'])
  expect(offered(script, ['waggle', 'environment', 'c'])).toEqual(['create', 'check'])
  expect(offered(script, ['waggle', 'start', '--ro'])).toEqual(['--role'])
  expect(offered(script, ['waggle', 'unknown', '--ro'])).toEqual([''])
})

test('an unknown shell is refused with those that are supported', async () => {
  await expect(completionFor('tcsh', verbs)).rejects.toThrow("Unknown shell 'tcsh'.")
})
