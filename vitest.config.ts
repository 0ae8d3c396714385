import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[], testTimeout: number) => ({
  test: { name, include, exclude: ['**/node_modules/**', '**/*.long.test.ts'], testTimeout, hookTimeout: testTimeout },
})

/** What takes minutes: only `npm run test:long` runs it. */
const longProject = (name: string, include: string[]) => ({
  test: { name, include, testTimeout: 600_000, hookTimeout: 600_000 },
})

/** One project a room; `npm test` runs them one after another, because the end-to-end ones want the machine to themselves. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('node', ['node/src/**/*.test.ts', 'node/test/**/*.test.ts'], 60_000),
      longProject('node-long', ['node/**/*.long.test.ts']),
      project('indexer', ['indexer/**/*.test.ts'], 90_000),
      project('dashboard', ['dashboard/**/*.test.{ts,tsx}'], 120_000),
      project('scripts', ['scripts/**/*.test.ts'], 480_000),
    ],
  },
})
