import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './tool.ts'

const TIMEOUT_MILLISECONDS = 30_000
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

const read = (file: string) => readFile(join(root, file), 'utf8')
const sorted = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name).toSorted()

describe('the alerts that are shipped', () => {
  test('are each explained on their page, and the page explains no other', async () => {
    const [rules, page] = [await read('deploy/alerts.yml'), await read('docs/operating/metrics.md')]
    expect(sorted(rules, /- alert: (\w+)/g)).toEqual(sorted(page, /^\| `([A-Z]\w+)`/gm))
  })

  test('ask for metrics that are explained there', async () => {
    const [rules, page] = [await read('deploy/alerts.yml'), await read('docs/operating/metrics.md')]
    const explained = new Set(sorted(page, /^\| `(florin_\w+)`/gm))
    const asked = sorted(rules, /(florin_\w+)/g)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((metric) => !explained.has(metric))).toEqual([])
  })

  test.skipIf(!hasPromtool)(
    'fire when they have to and not otherwise, by Prometheus itself',
    () => {
      const { status, stdout, stderr } = spawnSync(
        'promtool',
        ['test', 'rules', join(root, 'deploy', 'alerts.test.yml')],
        { encoding: 'utf8', timeout: TIMEOUT_MILLISECONDS },
      )
      expect({ status, stdout, stderr }).toMatchObject({ status: 0 })
    },
  )
})
