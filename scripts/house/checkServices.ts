import { lineOf, type Texts } from './readTexts.ts'

/** In lines of code: the folder of a peer that runs as a service belongs to a user who does not own the checkout, for whom npx fails. */
const BLOCK = /^ *```[\s\S]*?^ *```/gm
const COMMAND = /^(?=.*\bnpx waggle\b)(?=.*\/(?:opt|var\/lib)\/waggle\b).*$/gm

/** Commands for a peer's service call `/opt/waggle/node/bin/waggle`. */
export function checkServices(documents: Texts): string[] {
  return [...documents].flatMap(([path, text]) =>
    [...text.matchAll(BLOCK)].flatMap(({ 0: block, index: start }) =>
      [...block.matchAll(COMMAND)].map(
        ({ index }) => `${path}:${lineOf(text, start + index)}: npx for a service: write /opt/waggle/node/bin/waggle`,
      ),
    ),
  )
}
