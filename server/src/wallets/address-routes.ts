import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { listReceivers, removeReceiver } from '../custody/receiver-store.ts'
import type { Receiver } from '../custody/receiver-store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { challengeFor, registerAddress } from './register-address.ts'
import type { RegisterDeps } from './register-address.ts'

export interface AddressRoutesDeps extends RegisterDeps {
  readonly directory: ChainDirectory
}

/** The routes of registered receiving addresses. */
export function addressRoutes(deps: AddressRoutesDeps): readonly Route[] {
  const { store, directory, clock } = deps
  const resolve = (address: string) => {
    const found = directory.resolve({ address, field: 'address' })
    return { family: found.chain.config.family, address: found.address }
  }
  return [
    route(endpoints.challengeAddress, async ({ query, caller: { accountId } }) => {
      const { family, address } = resolve(query.address)
      return { body: { address, family, ...challengeFor(deps, accountId, address) } }
    }),

    route(endpoints.registerAddress, async ({ body, caller: { accountId }, idempotencyKey }) => {
      const { challenge, signature, label = null } = body
      const { receiver, replayed } = await registerAddress(deps, {
        accountId,
        ...resolve(body.address),
        challenge,
        signature,
        label,
        idempotencyKey,
      })
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: receiverFacts(receiver),
      }
    }),

    route(endpoints.listAddresses, async ({ caller: { accountId } }) => {
      const receivers = await store.inTransaction(accountId, (tx) => listReceivers(tx, accountId))
      return { body: { addresses: receivers.map(receiverFacts) } }
    }),

    route(endpoints.deleteAddress, async ({ params, caller: { accountId } }) => {
      const { address } = resolve(params.address)
      const now = clock.nowMilliseconds()
      const removed = await store.inTransaction(accountId, (tx) =>
        removeReceiver(tx, accountId, address, now),
      )
      if (!removed) throw new Refusal('NOT_FOUND')
      return { body: { address, deletedAt: now } }
    }),
  ]
}

function receiverFacts({ address, family, label, registeredAtMilliseconds }: Receiver) {
  return { address, family, label, registeredAt: registeredAtMilliseconds }
}
