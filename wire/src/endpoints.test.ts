import { expect, test } from 'vitest'
import { endpoints } from './endpoints.ts'
import { catalogue } from './errors.ts'

const rows = Object.entries(endpoints)

test.each(rows)('%s is named by its own id', (name, row) => {
  expect(row.id).toBe(name)
})

test.each(rows)('%s describes every part of its path, and no other', (_, row) => {
  const parts = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part)
  expect(Object.keys(row.params.properties)).toEqual(parts)
})

test.each(rows)('%s lists codes of the catalogue, each once', (_, row) => {
  const fails: readonly string[] = row.fails
  expect(new Set(fails).size).toBe(fails.length)
  for (const code of fails) expect(Object.keys(catalogue)).toContain(code)
})

test.each(rows)('%s takes an idempotency key exactly when it is a POST of ours', (_, row) => {
  // Verifying and simulating move nothing, and a ticket is good for one connection alone.
  const movesNothing = [
    endpoints.x402Verify.id,
    endpoints.verifyPayment.id,
    endpoints.simulateTransaction.id,
    endpoints.createEventTicket.id,
  ]
  // What a page does for its reader is repeated by the reader; what an operator says shall be so is so however often it is said.
  const isOfPerson =
    row.needs === null ||
    ('session' in row.needs && ['anyone', 'operator'].includes(row.needs.session))
  const takes = row.method === 'POST' && !isOfPerson && !movesNothing.some((id) => id === row.id)
  expect(row.idempotent).toBe(takes)
})

test('no two operations share a method and a path', () => {
  const names = rows.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(new Set(names).size).toBe(names.length)
})

test('only health and signing in need nobody', () => {
  const open = rows.filter(([, { needs }]) => needs === null).map(([, { path }]) => path)
  expect(open).toEqual([
    '/health/live',
    '/health/ready',
    '/session',
    '/session/passkey/options',
    '/session/passkey',
  ])
})
