import { defineConfig } from 'vitest/config'

const FULL = process.env['FLORIN_TEST_FULL'] === '1'

export default defineConfig({
  test: {
    // The long forms run by themselves, so that npm test and npm run test:full together run everything once.
    include: FULL
      ? ['{server,sandbox,cli,checks,e2e,simulation}/**/*.full.ts']
      : [
          '{wire,sdk,examples,server,sandbox,cli,dashboard,plugins,checks,e2e,simulation}/**/*.test.ts',
        ],
    globalSetup: ['server/src/store/test-postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    // Above every wait's own deadline: a wait that fails says what it waited for, this limit does not.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    passWithNoTests: false,
  },
})
