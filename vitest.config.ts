import { defineConfig } from 'vitest/config'

const FULL = process.env['FLORIN_TEST_FULL'] === '1'

export default defineConfig({
  test: {
    // The long forms run by themselves, so that npm test and npm run test:full together run everything once.
    include: FULL
      ? ['{server,sandbox,cli,checks,e2e,simulation}/**/*.full.ts']
      : ['{wire,sdk,examples,server,sandbox,cli,checks,e2e,simulation}/**/*.test.ts'],
    globalSetup: ['server/src/store/test-postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
