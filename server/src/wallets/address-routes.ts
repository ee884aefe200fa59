import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { actorOf } from '../audit/actor-of.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { KnownReceivers } from '../custody/known-receivers.ts'
import { listReceivers, removeReceiver } from '../custody/receiver-store.ts'
import type { Receiver } from '../custody/receiver-store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { challengeFor, registerAddress } from './register-address.ts'
import type { RegisterDeps } from './register-address.ts'

export interface AddressRoutesDeps extends RegisterDeps {
  readonly directory: ChainDirectory
  /** Told of what changed. */
  readonly receivers: Pick<KnownReceivers, 'forget'>
}

/** The routes of registered receiving addresses. */
export function addressRoutes(deps: AddressRoutesDeps): readonly Route[] {
  const { store, directory, clock, audit, receivers } = deps
  const resolve = (address: string) => {
    const found = directory.resolve({ address, field: 'address' })
    return { family: found.chain.config.family, address: found.address }
  }
  return [
    route(endpoints.challengeAddress, async ({ query, caller: { accountId } }) => {
      const { family, address } = resolve(query.address)
      return { body: { address, family, ...challengeFor(deps, accountId, address) } }
    }),

    route(endpoints.registerAddress, async (call) => {
      const { body, caller, idempotencyKey } = call
      const { challenge, signature, label = null } = body
      const asked = resolve(body.address)
      const { receiver, replayed } = await registerAddress(deps, {
        accountId: caller.accountId,
        actor: actorOf(call),
        ...asked,
        challenge,
        signature,
        label,
        idempotencyKey,
      })
      receivers.forget(asked)
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: receiverFacts(receiver),
      }
    }),

    route(endpoints.listAddresses, async ({ caller: { accountId } }) => {
      const receivers = await store.inTransaction(accountId, (tx) => listReceivers(tx, accountId))
      return { body: { addresses: receivers.map(receiverFacts) } }
    }),

    route(endpoints.deleteAddress, async (call) => {
      const { accountId } = call.caller
      const { family, address } = resolve(call.params.address)
      const now = clock.nowMilliseconds()
      await store.inTransaction(accountId, async (tx) => {
        if (!(await removeReceiver(tx, accountId, address, now))) throw new Refusal('NOT_FOUND')
        const [actor, action] = [actorOf(call), 'address.removed']
        await audit.note(tx, { accountId, actor, action, object: address, details: { family } })
      })
      receivers.forget({ family, address })
      return { body: { address, deletedAt: now } }
    }),
  ]
}

function receiverFacts({ address, family, label, registeredAtMilliseconds }: Receiver) {
  return { address, family, label, registeredAt: registeredAtMilliseconds }
}
