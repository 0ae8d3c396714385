import { lineOf, type Texts } from './readTexts.ts'

const TITLE =
  /\b(?:test|it|describe)(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?\(\s*['"`]((?:what|who|whoever|whatever) .*)/gi
const COMMENT = /(?:\/\/|\/\*\*|^\s*\*)\s+(?:@\w+ )?((?:What|Who|Whoever|Whatever|Whose|Whom) .*)/gm

/** A comment there is part of the hash of a contract's metadata: a new wording needs a new deployment record. */
const CONTRACTS = /^contracts\/src\//

/** Titles and comments name their subject first: `a banned peer is refused`, not `who is banned is refused`. */
export function checkClauses(sources: Texts): string[] {
  return [...sources].flatMap(([path, text]) =>
    CONTRACTS.test(path)
      ? []
      : [...text.matchAll(TITLE), ...text.matchAll(COMMENT)].map(
          ({ 0: found, 1: clause = '', index }) =>
            `${path}:${lineOf(text, index + found.length)}: '${clause.slice(0, 40)}': begin with the subject`,
        ),
  )
}
