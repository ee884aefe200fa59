import { describe, expect, test } from 'vitest'
import { openLog } from './log.ts'
import type { Log, LogLevel } from './log.ts'
import { Secret } from './secret.ts'

/** The lines that a log writes, as text and as JSON. */
function capture(level: LogLevel, write: (log: Log) => void) {
  const text: string[] = []
  write(openLog(level, { write: (line) => void text.push(line) }))
  return {
    text: text.join(''),
    records: text.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

/** A fact as code without types could write it. */
const loose = (facts: object) => facts

describe('a log line', () => {
  test('holds the known fields, the level by name, the time and the message', () => {
    const { records } = capture('info', (log) => {
      log.child({ network: 'eip155:1' }).info({ requestId: 'req_1', status: 200 }, 'answered')
      log.debug({ requestId: 'req_2' }, 'not asked for')
    })
    const time = expect.any(Number) as number
    const facts = { network: 'eip155:1', requestId: 'req_1', status: 200, msg: 'answered' }
    expect(records).toEqual([{ level: 'info', time, ...facts }])
  })

  test('has no place for a field that is not in the list: its name is told, its value is not', () => {
    const { records, text } = capture('debug', (log) => {
      log.warn(
        loose({
          network: 'eip155:1',
          authorization: 'Bearer canary',
          headers: { cookie: 'canary' },
        }),
        'x',
      )
      log.child(loose({ body: { apiKey: 'canary' } })).warn({}, 'y')
    })
    expect(text).not.toContain('canary')
    expect(records).toMatchObject([
      { network: 'eip155:1', dropped: 'authorization,headers' },
      { dropped: 'body' },
    ])
  })

  test('has no place for an object in a known field', () => {
    const { text } = capture('debug', (log) => {
      log.warn(loose({ network: { url: 'canary' }, status: ['canary'], isGone: 'canary' }), 'x')
      log.warn({ reason: { text: 'canary' }, err: { message: 'canary' } }, 'x')
      log.warn(loose({ reason: new Secret('canary'), address: new Secret('canary') }), 'x')
    })
    expect(text).not.toContain('canary')
  })

  test.each([
    ['a node', 'cannot reach https://user:canary@rpc.example/v3/canary?key=canary'],
    ['a database', 'postgres://me:canary@db:5432/x refused'],
    ['a header', 'Authorization: Bearer canary'],
    ['basic credentials', 'sent Basic canary== to nobody'],
    ['an API key', 'the key florin_live_canary0123_abcdef is bad'],
    ['JSON', '{"secret":"canary","privateKey": "canary"}'],
    ['a setting', 'password=canary&x'],
    ['a proof', `payment eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoi${'canary'.repeat(20)}`],
    ['raw bytes', `0x${'canary'.repeat(40)}`],
  ])('shows nothing of the secret that %s has put into a text', (_, words) => {
    const { text, records } = capture('debug', (log) => {
      log.warn({ reason: words, line: words }, words)
      log.error({ err: new Error(words, { cause: new Error(words) }) }, 'x')
    })
    expect(text).not.toContain('canary')
    expect(records).toHaveLength(2)
  })

  test('keeps what an operator looks for: ids, hashes, addresses, signatures, patterns of paths', () => {
    const facts = {
      requestId: 'req_PJLr2B6rUMxFmA94MAtgTh',
      hash: `0x${'ab'.repeat(32)}`,
      next: '5'.repeat(88),
      address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      route: '/payment/status/{paymentId}',
      reason: 'node 1 of eip155:1 cannot be reached: ECONNREFUSED',
    }
    expect(capture('info', (log) => log.info(facts, 'x')).records).toMatchObject([facts])
  })

  test('is one line and short, whatever a node says', () => {
    const { text } = capture('info', (log) => {
      log.warn({ reason: `a\nb\r\n${'word '.repeat(10_000)}` }, 'x')
    })
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    expect(text.length).toBeLessThan(1_000)
  })
})

describe('an error in the log', () => {
  test('shows its kind, message, code, frames and causes', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const { records } = capture('info', (log) =>
      log.error({ err: new RangeError('too far', { cause }) }, 'x'),
    )
    expect(records[0]?.['err']).toMatchObject({
      type: 'RangeError',
      message: 'too far',
      stack: expect.stringMatching(/^at .*log\.test\.ts/) as string,
      cause: { type: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
    })
  })

  test('of PostgreSQL shows state and constraint, and none of the values of a statement', () => {
    const violation = Object.assign(
      new Error('invalid input syntax for type numeric: "canary"\n at canary (canary.js)'),
      {
        severity: 'ERROR',
        code: '22P02',
        detail: 'Key (digest)=(canary) already exists.',
        where: 'unnamed portal parameter $1 = canary',
        hint: 'canary',
        query: 'canary',
        constraint: 'payments_pkey',
        table: 'payments',
      },
    )
    const { records, text } = capture('info', (log) => {
      log.error({ err: violation, reason: violation }, 'x')
      log.warn({ reason: new Error('the database is unreachable', { cause: violation }) }, 'x')
    })
    expect(text).not.toMatch(/canary|\(digest\)|parameter|input syntax/)
    expect(text).toContain('log.test.ts')
    expect(records[0]).toMatchObject({
      reason: 'PostgreSQL 22P02, constraint payments_pkey, table payments',
    })
  })

  test('of PostgreSQL itself keeps its words: they hold no value', () => {
    const message = 'terminating connection due to administrator command'
    const shutdown = Object.assign(new Error(message), { severity: 'FATAL', code: '57P01' })
    const { records } = capture('info', (log) => log.warn({ reason: shutdown }, 'x'))
    expect(records[0]).toMatchObject({ reason: message })
  })

  test('as a reason is told with what lay behind it', () => {
    const message = 'could not extend file "base/1/2": No space left on device'
    const full = Object.assign(new Error(message), { severity: 'ERROR', code: '53100' })
    const { records } = capture('info', (log) => {
      log.warn({ reason: new Error('the database is in trouble', { cause: full }) }, 'x')
    })
    expect(records[0]).toMatchObject({ reason: `the database is in trouble: ${message}` })
  })

  test('of a text that could not be read shows none of it', () => {
    const read = () => JSON.parse('{"privateKey": canary}') as unknown
    const { text } = capture('info', (log) => {
      try {
        read()
      } catch (error) {
        log.warn({ reason: error, err: error }, 'x')
      }
    })
    expect(text).not.toContain('canary')
  })

  test('that is none shows its kind only', () => {
    const { records, text } = capture('info', (log) =>
      log.error({ err: { apiKey: 'canary' } }, 'x'),
    )
    expect(text).not.toContain('canary')
    expect(records[0]?.['err']).toEqual({ type: 'object', message: '' })
  })
})
