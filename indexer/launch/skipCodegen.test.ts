import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test("Ponder's own step that writes types writes nothing", () => {
  const rootDir = mkdtempSync(join(tmpdir(), 'waggle-codegen-'))
  const script = `
    import { skipCodegen } from './skipCodegen.ts'
    skipCodegen()
    const { runCodegen } = await import(new URL('./bin/utils/codegen.js', import.meta.resolve('ponder')))
    const logger = { debug() {} }
    runCodegen({ common: { logger, options: { rootDir: ${JSON.stringify(rootDir)} } } })`
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname })
  expect(readdirSync(rootDir)).toEqual([])
  rmSync(rootDir, { recursive: true })
})
