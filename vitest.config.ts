import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[], testTimeout: number) => ({
  test: { name, include, testTimeout, hookTimeout: testTimeout },
})

/** One project a room; `npm test` runs them one after another, because the end-to-end ones want the machine to themselves. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('node', ['node/src/**/*.test.ts', 'node/test/**/*.test.ts'], 60_000),
      project('indexer', ['indexer/**/*.test.ts'], 90_000),
      project('dashboard', ['dashboard/**/*.test.{ts,tsx}'], 120_000),
      project('scripts', ['scripts/**/*.test.ts'], 480_000),
    ],
  },
})
