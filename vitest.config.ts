import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['node', 'indexer', 'dashboard', 'deployments', 'scripts'],
    maxWorkers: 2,
  },
})
