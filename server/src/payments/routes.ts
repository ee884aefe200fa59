import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { addressRule } from '../chains/address-rule.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { readAmount } from '../chains/read-amount.ts'
import { findWallets } from '../custody/store.ts'
import type { AskedWallet } from '../custody/store.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { shareReads } from '../store/shared-reads.ts'
import type { FindDeps } from './find.ts'
import { paymentReadRoutes } from './read-routes.ts'
import type { SendDeps } from './send.ts'
import { sendPayment } from './send.ts'
import { paymentFacts } from './view.ts'

export interface PaymentRoutesDeps extends Omit<SendDeps, 'walletOf'>, Pick<FindDeps, 'builtFor'> {
  readonly directory: ChainDirectory
  readonly networks: ReadonlyMap<NetworkId, NetworkConfig>
}

/** The routes of direct mode. */
export function paymentRoutes(deps: PaymentRoutesDeps): readonly Route[] {
  const { directory, proofs, clock, store } = deps
  const walletOf = shareReads({
    read: (asked: readonly AskedWallet[]) => findWallets(store, asked),
    underWayMax: limits.walletReadsUnderWayMax,
    sharedMax: limits.walletReadsSharedMax,
  })
  const sendDeps = { ...deps, walletOf }
  return [
    route(endpoints.sendPayment, async (call) => {
      const { body, caller } = call
      const { chain, address } = directory.resolve({
        network: body.network,
        address: body.walletAddress,
        field: 'walletAddress',
      })
      const recipient = chain.parseAddress(body.recipientAddress)
      if (recipient === undefined) {
        throw new Refusal('INVALID_RECIPIENT', {
          details: {
            recipientAddress: addressRule(chain.config),
          },
        })
      }
      const asset = directory.asset(chain, body.asset)
      const native = directory.asset(chain, 'native')
      const metadataText = call.rawText('metadata') ?? null
      const waitSeconds = body.timeout ?? limits.waitDefaultSeconds
      const { payment, hash, replayed } = await sendPayment(sendDeps, {
        requestId: call.requestId,
        accountId: caller.accountId,
        chain,
        walletAddress: address,
        recipient,
        asset,
        amount: readAmount('amount', body.amount, chain.config, asset),
        priorityFee:
          body.priorityFee === undefined
            ? null
            : readAmount('priorityFee', body.priorityFee, chain.config, native),
        resource: body.resource ?? null,
        metadataText,
        once:
          call.idempotencyKey === undefined
            ? null
            : {
                key: call.idempotencyKey,
                fingerprint: requestFingerprint(
                  { ...body, metadata: metadataText },
                  endpoints.sendPayment.body,
                ),
              },
        waitFor: body.waitFor ?? 'confirmed',
        waitUntilMilliseconds: clock.nowMilliseconds() + waitSeconds * 1000,
        clientGone: call.clientGone,
        waitOver: call.over,
        demandAdmitted: call.demandAdmitted,
      })
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: {
          ...paymentFacts(payment, hash, chain.config),
          paymentProof: proofs.proofOf(payment),
        },
      }
    }),
    ...paymentReadRoutes(deps),
  ]
}
