import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLog } from '../kernel/log.ts'
import { listenForScrapes } from './listen.ts'
import type { MetricsListener } from './listen.ts'

const HOST = '127.0.0.1'

describe('the door for scrapers', () => {
  let door: MetricsListener
  let failing = false
  beforeEach(async () => {
    failing = false
    door = await listenForScrapes({
      host: HOST,
      port: 0,
      log: openLog('silent'),
      read: async () => {
        if (failing) throw new Error('canary')
        return { contentType: 'text/plain; version=0.0.4', text: 'a 1\n' }
      },
    })
  })
  afterEach(() => door.stop())
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`http://${HOST}:${door.port}${path}`, init)

  test('answers GET and HEAD of /metrics, and nothing else', async () => {
    const answer = await ask('/metrics?name[]=x')
    expect([answer.status, await answer.text()]).toEqual([200, 'a 1\n'])
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const head = await ask('/metrics', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const path of ['/', '/metrics/', '/payment/send', '/health/live']) {
      expect((await ask(path)).status, path).toBe(404)
    }
    expect((await ask('/metrics', { method: 'POST', body: 'x'.repeat(1_000_000) })).status).toBe(
      405,
    )
  })

  test('says 500 and nothing more when reading fails', async () => {
    failing = true
    const answer = await ask('/metrics')
    expect([answer.status, await answer.text()]).toEqual([500, ''])
  })

  test('does not open on a port that is taken', async () => {
    await expect(
      listenForScrapes({
        host: HOST,
        port: door.port,
        log: openLog('silent'),
        read: () => Promise.reject(new Error('never asked')),
      }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
