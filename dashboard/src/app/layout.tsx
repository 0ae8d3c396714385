import './globals.css'
import type { Metadata, Viewport } from 'next'
import { headers } from 'next/headers'
import { connection } from 'next/server'
import type { ReactNode } from 'react'
import { AccountProvider } from '#chain/AccountProvider.tsx'
import { ChainProvider } from '#chain/ChainProvider.tsx'
import { TransactionProvider } from '#chain/TransactionProvider.tsx'
import { OfflineBanner } from '#components/site/OfflineBanner.tsx'
import { SiteFooter } from '#components/site/SiteFooter.tsx'
import { SiteHeader } from '#components/site/SiteHeader.tsx'
import { TransactionList } from '#components/site/TransactionList.tsx'
import { getNetwork } from '#sources/getNetwork.ts'
import { recursive, recursiveMono } from './fonts.ts'

const description = 'An open swarm of language models that learn from each other, with every point on a chain.'

/** Pictures of links need an absolute URL: the one of the request. */
export async function generateMetadata(): Promise<Metadata> {
  const sent = await headers()
  const origin = `${sent.get('x-forwarded-proto') ?? 'http'}://${sent.get('host') ?? ''}`
  return {
    ...(URL.canParse(origin) && { metadataBase: new URL(origin) }),
    title: { default: 'Waggle', template: '%s · Waggle' },
    description,
    openGraph: { siteName: 'Waggle', type: 'website', description },
    twitter: { card: 'summary_large_image' },
  }
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f6f7f1' },
    { media: '(prefers-color-scheme: dark)', color: '#12121c' },
  ],
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  // The deployment is unknown at build time.
  await connection()
  const network = getNetwork()
  return (
    <html lang="en" className={`${recursive.variable} ${recursiveMono.variable}`}>
      <body>
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-honey focus:p-3 focus:text-night"
        >
          Skip to the content
        </a>
        <ChainProvider network={network}>
          <TransactionProvider>
            <AccountProvider>
              <noscript>
                <p className="bg-honey px-4 py-3 text-center text-night">
                  This page needs JavaScript: without it, parts that wait for the chain or the index never appear.
                </p>
              </noscript>
              <OfflineBanner />
              <SiteHeader networkName={network?.name ?? null} />
              <main id="main" className="mx-auto min-h-svh w-full max-w-6xl px-4 pt-6 pb-24 sm:px-6">
                {children}
              </main>
              <TransactionList />
              <SiteFooter network={network} />
            </AccountProvider>
          </TransactionProvider>
        </ChainProvider>
      </body>
    </html>
  )
}
