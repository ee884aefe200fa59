import { Refusal } from '@florin/wire/errors.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Route } from './route.ts'

const RETRY_SECONDS = 1

/**
 * The routes, where an account has a few simulations under way at once and one more is refused with RATE_LIMIT: they cost it nothing, and
 * a network's places for them are few.
 */
export function fewSimulations(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) =>
    route.endpoint.id === endpoints.simulateTransaction.id
      ? { ...route, open: (tools) => bounded(route.open(tools)) }
      : route,
  )
}

type Answering = ReturnType<Route['open']>

function bounded(answer: Answering): Answering {
  const underWay = new Map<AccountId, number>()
  return async (incoming) => {
    const account = incoming.caller?.accountId
    if (account === undefined) return await answer(incoming)
    const running = underWay.get(account) ?? 0
    if (running >= limits.simulationsPerAccountMax) {
      throw new Refusal('RATE_LIMIT', {
        message: `At most ${limits.simulationsPerAccountMax} simulations of an account at once.`,
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    underWay.set(account, running + 1)
    try {
      return await answer(incoming)
    } finally {
      const left = (underWay.get(account) ?? 1) - 1
      if (left === 0) underWay.delete(account)
      else underWay.set(account, left)
    }
  }
}
