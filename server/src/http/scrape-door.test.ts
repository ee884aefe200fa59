import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock as clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { openScrapeDoor } from './scrape-door.ts'
import type { ScrapeDoor } from './scrape-door.ts'
import { assertProblem, isErrorBody, rawAnswer } from './test-server.ts'

const answered = async (answer: Response) => {
  const body: unknown = await answer.json()
  return { status: answer.status, headers: answer.headers, body }
}
const HOST = '127.0.0.1'
const EDGE = {
  ...{ host: HOST, log: openLog('silent'), clock, random },
  baseUrl: () => 'http://pay.example',
}

describe('the door for scrapers', () => {
  let door: ScrapeDoor
  let failing = false
  beforeEach(async () => {
    failing = false
    door = await openScrapeDoor({
      ...EDGE,
      port: 0,
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
      assertProblem(await answered(await ask(path)), 'NOT_FOUND')
    }
    const posted = await ask('/metrics', { method: 'POST', body: 'x'.repeat(1_000_000) })
    expect(posted.headers.get('allow')).toBe('GET, HEAD')
    assertProblem(await answered(posted), 'METHOD_NOT_ALLOWED')
  })

  test('says that it failed and nothing more when reading fails', async () => {
    failing = true
    const answer = await answered(await ask('/metrics'))
    assertProblem(answer, 'INTERNAL_ERROR')
    expect(JSON.stringify(answer.body)).not.toContain('canary')
  })

  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a header without a colon', 'GET /metrics HTTP/1.1\r\nhost: x\r\nbad\r\n\r\n', 400],
    [
      'endless headers',
      `GET /metrics HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      413,
    ],
    ['no Host', 'GET /metrics HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    [
      'an expectation that nobody knows',
      'GET /metrics HTTP/1.1\r\nhost: x\r\nexpect: foo\r\nconnection: close\r\n\r\n',
      400,
    ],
  ])('%s gets the error body of the edge', async (_, bytes, status) => {
    const [head = '', body = ''] = (await rawAnswer(door.port, bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head.toLowerCase()).toContain('x-request-id: req_')
    const told: unknown = JSON.parse(body)
    expect(isErrorBody(told)).toBe(true)
    expect(body).toContain('http://pay.example/docs/errors/')
  })

  test('does not open on a port that is taken', async () => {
    await expect(
      openScrapeDoor({
        ...EDGE,
        port: door.port,
        read: () => Promise.reject(new Error('never asked')),
      }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
