import { NodeFailure } from '../chain.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'
import { heightFrom } from './answer.ts'

const LOOK_UP = 'getTransaction'
const SLOT = { method: 'getSlot', params: [{ commitment: 'confirmed' }] }

/** How a node is asked for its height: the slot that it has seen confirmed. */
export const HEIGHT = {
  call: SLOT,
  parse: (result: unknown) => heightFrom(result, 'slot'),
} as const

/**
 * Refuses a node's "there is no such transaction" while it is behind a slot that another answer has shown. What it does find
 * is believed. Its slot is asked first, so that the look-up is not older.
 */
export function onlyUpToDate(seenSlot: () => bigint, endpoint: Endpoint): Endpoint {
  return {
    post: async (calls) => {
      if (!calls.some(({ method }) => method === LOOK_UP)) return endpoint.post(calls)
      const needed = seenSlot()
      const [answer, ...answers] = await endpoint.post([SLOT, ...calls])
      if (answer instanceof NodeFailure) throw answer
      if (answer?.ok !== true) throw new NodeFailure('the node does not tell its slot')
      const slot = heightFrom(answer.result, 'slot')
      if (slot >= needed) return answers
      const late = new NodeFailure(`the node is at slot ${slot}, and slot ${needed} was seen`)
      return answers.map((each, index) =>
        calls[index]?.method === LOOK_UP && isNothing(each) ? late : each,
      )
    },
  }
}

function isNothing(answer: Awaited<ReturnType<Endpoint['post']>>[number]): boolean {
  return !(answer instanceof NodeFailure) && answer.ok && answer.result === null
}
