import { defineConfig } from 'vitest/config'

const FULL = process.env['FLORIN_TEST_FULL'] === '1'

export default defineConfig({
  test: {
    include: [
      '{wire,server,sandbox,cli,checks,e2e}/**/*.test.ts',
      ...(FULL ? ['{server,sandbox,e2e}/**/*.full.ts'] : []),
    ],
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
