import type { Texts } from './readTexts.ts'

export const MAX_WORDS = 1_400
const MAX_FIGURES = 10

/** The README stays short: it is what a newcomer reads first. */
export function checkReadme(documents: Texts): string[] {
  const text = documents.get('README.md') ?? ''
  const findings: string[] = []
  const words = text.split(/\s+/).filter(word => word !== '').length
  if (words > MAX_WORDS) findings.push(`README.md: ${words} words, at most ${MAX_WORDS}`)
  const [, figures = ''] = text.split(/^## Figures$/m)
  const rows = [...figures.matchAll(/^\|.*\|$/gm)].length - 2
  if (rows < 1) findings.push('README.md: no table under ## Figures')
  if (rows > MAX_FIGURES) findings.push(`README.md: ${rows} figures, at most ${MAX_FIGURES}`)
  for (const command of ['npm install && npm run swarm', 'npm install && npm test'])
    if (!text.includes(command)) findings.push(`README.md: does not say ${command}`)
  return findings
}
