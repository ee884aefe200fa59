import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { Ajv } from 'ajv'
import { ErrorBody } from '@florin/wire/error-body.ts'
import { catalogue, Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { AfterCommit } from './after-commit.ts'
import { problem } from './problem.ts'

const isErrorBody = new Ajv().compile(ErrorBody)
const context = {
  requestId: 'req_1',
  nowMilliseconds: 1_790_000_000_000,
  baseUrl: 'https://pay.example',
  isUnavailable: () => false,
}
const codes = Object.keys(catalogue).filter((code): code is ErrorCode => code in catalogue)

describe('a refusal', () => {
  test('has exactly the published shape', () => {
    const details = { required: '0.51', available: '0.2' }
    expect(problem(new Refusal('INSUFFICIENT_BALANCE', { details }), context)).toEqual({
      code: 'INSUFFICIENT_BALANCE',
      status: 400,
      headers: {},
      body: {
        success: false,
        error: {
          code: 'INSUFFICIENT_BALANCE',
          message:
            'The wallet cannot cover the amount and the fee ceiling (required: 0.51; available: 0.2).',
          details,
          requestId: 'req_1',
          docs: 'https://pay.example/docs/errors/INSUFFICIENT_BALANCE',
        },
        timestamp: 1_790_000_000_000,
      },
      unforeseen: false,
    })
  })

  test('after a commit names the payment and says not to pay again', () => {
    const error = new AfterCommit('pay_1', new Error('the database is away'))
    expect(problem(error, context)).toMatchObject({
      ...{ code: 'INTERNAL_ERROR', status: 500, unforeseen: true },
      body: {
        error: {
          message: expect.stringMatching(/do not pay again/) as unknown,
          details: { paymentId: 'pay_1' },
        },
      },
    })
  })

  test.each(codes)('%s says how long to wait only on 409, 429 and 503', (code) => {
    const { headers, body, status } = problem(
      new Refusal(code, { retryAfterSeconds: 2.5 }),
      context,
    )
    const waits = [409, 429, 503].includes(status)
    expect(body).toMatchObject({ error: waits ? { retryAfter: 3 } : { code } })
    expect(headers['retry-after']).toBe(waits ? '3' : undefined)
    if (!waits) expect(body).not.toHaveProperty('error.retryAfter')
  })

  test('that asks for a repeat always says when; one that must not be repeated does not', () => {
    for (const code of ['RATE_LIMIT', 'NETWORK_ERROR', 'IDEMPOTENCY_CONFLICT'] as const) {
      expect(problem(new Refusal(code), context).headers).toHaveProperty('retry-after')
    }
    for (const code of ['DUPLICATE_SETTLEMENT', 'ORDER_CLOSED'] as const) {
      expect(problem(new Refusal(code), context).headers).toEqual({})
    }
  })
})

describe('the page of a code', () => {
  test.each(codes)('%s shows a body as the service writes it', async (code) => {
    const url = new URL(`../../../docs/errors/${code}.md`, import.meta.url)
    const page = await readFile(url, 'utf8')
    const shown: unknown = JSON.parse(/```json\n(.*?)\n```/s.exec(page)?.[1] ?? '')
    expect(isErrorBody(shown)).toBe(true)
    const { error } = shown as {
      error: { details?: { paymentId?: string }; retryAfter?: number }
    }
    const { details, retryAfter } = error
    const refusal = new Refusal(code, {
      ...(details === undefined ? {} : { details: { ...details } }),
      ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
    })
    const requestId = 'req_7Qm4uVb2xYpKe9RtWzA3nD'
    const isStored = code === 'INTERNAL_ERROR' && details?.paymentId !== undefined
    const thrown = isStored ? new AfterCommit(details.paymentId ?? '', new Error('away')) : refusal
    const { body, status } = problem(thrown, { ...context, requestId })
    expect(shown).toEqual(body)
    expect(page).toContain(`\nHTTP ${status} `)
  })
})
