import localFont from 'next/font/local'

/**
 * Recursive (SIL Open Font License), from the package: one family for speech and for code. Preloaded and optional: it is there for the first
 * paint, or not until the next visit. A swap would wrap titles differently and move the page below them.
 */
export const recursive = localFont({
  src: '../../../node_modules/@fontsource-variable/recursive/files/recursive-latin-casl-normal.woff2',
  variable: '--font-recursive',
  weight: '300 1000',
  display: 'optional',
})

/** Its characters are as wide as those of the system's monospaced font, which is the better fallback than a proportional one. */
export const recursiveMono = localFont({
  src: '../../../node_modules/@fontsource-variable/recursive/files/recursive-latin-mono-normal.woff2',
  variable: '--font-recursive-mono',
  weight: '300 1000',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})
