import localFont from 'next/font/local'

/** Recursive (SIL Open Font License), from the package: one family for speech and for code. */
export const recursive = localFont({
  src: '../../../node_modules/@fontsource-variable/recursive/files/recursive-latin-casl-normal.woff2',
  variable: '--font-recursive',
  weight: '300 1000',
  display: 'swap',
})

export const recursiveMono = localFont({
  src: '../../../node_modules/@fontsource-variable/recursive/files/recursive-latin-mono-normal.woff2',
  variable: '--font-recursive-mono',
  weight: '300 1000',
  display: 'swap',
  preload: false,
})
