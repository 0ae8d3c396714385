import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatError } from './errors.ts'
import { asFileError } from './fileError.ts'
import { isNamed, readSmallFile } from './readSmallFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-files-'))
const at = (name: string) => join(folder, name)

function refusal(path: string): string {
  try {
    readSmallFile(path, 10)
  } catch (error) {
    return formatError(error)
  }
  return 'read'
}

test('a small file is read, also through a link', () => {
  writeFileSync(at('whole'), '0123456789')
  symlinkSync('whole', at('link'))
  expect(readSmallFile(at('link'), 10).toString()).toBe('0123456789')
})

test('anything but a file of that name is refused at once, in one line that names it', () => {
  mkdirSync(at('folder'))
  writeFileSync(at('large'), '01234567890')
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/zero', at('device'))
  symlinkSync('gone', at('dangling'))
  symlinkSync('loop', at('loop'))
  expect(refusal(at('folder'))).toContain(`${at('folder')} is not a regular file.`)
  expect(refusal(at('pipe'))).toContain(`${at('pipe')} is not a regular file.`)
  expect(refusal(at('device'))).toContain(`${at('device')} is not a regular file.`)
  expect(refusal(at('large'))).toContain(`${at('large')} has 11 bytes, more than 10.`)
  expect(refusal(at('dangling'))).toContain(`${at('dangling')} is a symbolic link to a file that does not exist.`)
  expect(refusal(at('loop'))).toContain(`${at('loop')} is a symbolic link that leads back to itself`)
  expect(refusal(at('none'))).toBe(`${at('none')} does not exist (open: ENOENT). Correct the path. [FILE]`)
})

test('a link to nothing has a name', () => {
  symlinkSync('gone', at('nowhere'))
  expect([isNamed(at('nowhere')), isNamed(at('never'))]).toEqual([true, false])
})

test('an error that is not of a file stays as it is', () => {
  const error = new Error('x')
  expect(asFileError(error)).toBe(error)
  expect(asFileError('x')).toBe('x')
})
