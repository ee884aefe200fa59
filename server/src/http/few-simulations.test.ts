import { endpoints } from '@florin/wire/endpoints.ts'
import { expect, test } from 'vitest'
import type { Caller } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { fewSimulations } from './few-simulations.ts'
import type { Incoming, Route } from './route.ts'
import { bodyRules, queryRules } from './rules.ts'

const outgoing = { status: 200, headers: {}, text: '{}' }

function caller(): Caller {
  const [accountId, keyId] = [newId(systemRandom, 'acct'), newId(systemRandom, 'key')]
  return { accountId, keyId, plan: 'enterprise', scopes: new Set() }
}

const asked = (from: Caller): Incoming => ({
  ...{ params: {}, query: {}, bytes: undefined, caller: from, requestId: 'req_1' },
  ...{ person: undefined, client: { address: '', protocol: 'http' }, header: () => [] },
  ...{ idempotencyKey: undefined, closing: new AbortController().signal },
  clientGone: () => new AbortController().signal,
  over: () => new AbortController().signal,
  demandAdmitted: async () => undefined,
})

function open(endpoint: Route['endpoint'], answer: () => Promise<typeof outgoing>) {
  const [route] = fewSimulations([{ endpoint, open: () => answer }])
  if (route === undefined) throw new Error('no route')
  const rules = { bodyRules: bodyRules(), queryRules: queryRules() }
  return route.open({ ...rules, clock: systemClock, checkAnswers: false })
}

test('of an account a few simulations run at once, and what failed makes room like what ended', async () => {
  const held: PromiseWithResolvers<typeof outgoing>[] = []
  const answer = open(endpoints.simulateTransaction, () => {
    const one = Promise.withResolvers<typeof outgoing>()
    held.push(one)
    return one.promise
  })
  const [first, other] = [caller(), caller()]
  const running = Array.from({ length: limits.simulationsPerAccountMax }, () =>
    answer(asked(first)),
  )
  await expect(answer(asked(first))).rejects.toMatchObject({
    ...{ code: 'RATE_LIMIT', retryAfterSeconds: 1 },
  })
  const others = answer(asked(other))
  held[0]?.reject(new Error('no'))
  await expect(running[0]).rejects.toThrow('no')
  const again = answer(asked(first))
  for (const { resolve } of held) resolve(outgoing)
  expect(await Promise.all([...running.slice(1), others, again])).toHaveLength(held.length - 1)
})

test('nothing else is bounded', async () => {
  const answer = open(endpoints.submitTransaction, () => new Promise(() => undefined))
  const same = caller()
  const all = Array.from({ length: 9 }, () => answer(asked(same)))
  expect(await Promise.race([...all, Promise.resolve('under way')])).toBe('under way')
})
