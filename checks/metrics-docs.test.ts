import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openMetrics } from '@florin/server/metrics/metrics.ts'
import { expect, test } from 'vitest'
import { metricsDocProblems } from './metrics-docs.ts'
import { repositoryFiles } from './source.ts'

const PAGE = 'docs/operating/metrics.md'

test('rule: docs/operating/metrics.md explains every metric of ours and no other', async () => {
  const build = { version: '0', node: '0' }
  const { text } = await openMetrics({ clock: systemClock, build, operations: [], limits }).reader({
    figures: () => Promise.reject(new Error('no database')),
    followers: () => [],
    pool: () => ({ total: 0, idle: 0, waiting: 0 }),
  })()
  const page = repositoryFiles().find(({ path }) => path === PAGE)
  expect(text).toContain('# TYPE florin_http_requests_total counter')
  expect(metricsDocProblems(page?.text ?? '', text)).toEqual([])
})

test('a metric without a row, a row without a metric and another type are found', () => {
  const page = '| `florin_a` | gauge | | x |\n| `florin_b`   | counter | `c` | x |\n'
  const served =
    '# TYPE florin_a counter\nflorin_a 1\n# TYPE florin_d gauge\n# TYPE nodejs_x gauge\n'
  expect(metricsDocProblems(page, served)).toEqual([
    'not on the page: florin_a counter',
    'not on the page: florin_d gauge',
    'not served: florin_a gauge',
    'not served: florin_b counter',
  ])
})
