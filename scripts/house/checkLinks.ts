import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { lineOf, type Texts, withoutCode } from './readTexts.ts'

/** Relative links and anchors that lead nowhere. Absolute links are not followed: the check needs no network. */
export function checkLinks(root: string, documents: Texts): string[] {
  const findings: string[] = []
  for (const [path, text] of documents) {
    const plain = withoutCode(text)
    for (const match of plain.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm)) {
      const target = match[1] ?? match[2] ?? ''
      if (/^[a-z][a-z+.-]*:/i.test(target)) continue
      const reason = brokenBecause(root, documents, path, target)
      if (reason !== null) findings.push(`${path}:${lineOf(text, match.index)}: ${reason}: ${target}`)
    }
  }
  return findings
}

function brokenBecause(root: string, documents: Texts, path: string, target: string): string | null {
  const [file = '', anchor] = target.split('#')
  const linked = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)))
  if (linked.startsWith('..')) return 'link out of the repository'
  if (!existsSync(join(root, linked))) return 'no such file'
  if (anchor === undefined) return null
  const text = documents.get(linked)
  if (text === undefined) return statSync(join(root, linked)).isDirectory() ? 'anchor of a folder' : null // lines of a source file
  return anchorsOf(text).has(anchor) ? null : 'no such heading'
}

/** Anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  const blocksRemoved = text.replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2`*[ ]*$/gm, '')
  for (const [, title = ''] of blocksRemoved.matchAll(/^#{1,6} +(.+?) *#* *$/gm)) {
    const slug = title
      .replaceAll(/\]\([^)]*\)/g, ']')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}
