import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { addressRule } from '../chains/address-rule.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { readAmount } from '../chains/read-amount.ts'
import { isOwnFacilitator } from '../facilitator/own-facilitator.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import { abandonBuild } from './abandon.ts'
import { openBuildQueue } from './build-queue.ts'
import { buildTransaction } from './build-transaction.ts'
import { receiveTransaction } from './receive-transaction.ts'
import type { ReceiveBuildDeps } from './receive-transaction.ts'
import { simulateTransaction } from './simulate.ts'
import { submitTransaction, verdictFields } from './submit.ts'
import { buildFields, sandboxField } from './view.ts'

export interface TransactionRoutesDeps extends ReceiveBuildDeps {
  readonly directory: ChainDirectory
  /** Where callers reach the facilitator of this service. */
  readonly facilitatorUrl: () => string
  /** For measurements: how many builds share one transaction at most. */
  readonly batchMax?: number | undefined
}

/** The routes of self-custody mode. */
export function transactionRoutes(given: TransactionRoutesDeps): readonly Route[] {
  const deps = { ...given, queue: openBuildQueue(given) }
  const { directory } = deps
  return [
    route(endpoints.buildTransaction, async (call) => {
      const { body, caller } = call
      const { chain, address } = directory.resolve({
        network: body.network,
        address: body.walletAddress,
        field: 'walletAddress',
      })
      const recipient = chain.parseAddress(body.recipientAddress)
      if (recipient === undefined) {
        const rule = addressRule(chain.config)
        throw new Refusal('INVALID_RECIPIENT', { details: { recipientAddress: rule } })
      }
      const asset = directory.asset(chain, body.asset)
      const native = directory.asset(chain, 'native')
      const metadataText = call.rawText('metadata') ?? null
      const amount = readAmount('amount', body.amount, chain.config, asset)
      if (amount === 0n) {
        throw new Refusal('INVALID_PARAMETERS', { details: { amount: 'must be more than 0' } })
      }
      const { build, state, replayed } = await buildTransaction(deps, {
        accountId: caller.accountId,
        chain,
        sender: address,
        recipient,
        asset,
        amount,
        priorityFee:
          body.priorityFee === undefined
            ? null
            : readAmount('priorityFee', body.priorityFee, chain.config, native),
        resource: body.resource ?? null,
        metadataText,
        once: onceOf(call.idempotencyKey, endpoints.buildTransaction, {
          ...body,
          metadata: metadataText,
        }),
      })
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: buildFields(build, state, chain.config),
      }
    }),
    route(endpoints.receiveTransaction, async (call) => {
      const { body, caller } = call
      refuseOthers(deps.facilitatorUrl(), body.facilitatorUrl)
      const { build, state, replayed, chain } = await receiveTransaction(deps, {
        accountId: caller.accountId,
        said: {
          recipient: body.walletAddress,
          amount: body.expectedAmount,
          network: body.network,
          asset: body.asset,
        },
        proofText: body.paymentProof,
        resource: body.resource,
        priorityFeeOf: (intake) =>
          body.priorityFee === undefined
            ? undefined
            : readAmount(
                'priorityFee',
                body.priorityFee,
                intake.chain.config,
                directory.asset(intake.chain, 'native'),
              ),
        once: onceOf(call.idempotencyKey, endpoints.receiveTransaction, body),
      })
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: buildFields(build, state, chain.config),
      }
    }),
    route(endpoints.abandonTransaction, async ({ params, caller }) => {
      const { status } = await abandonBuild(deps, caller.accountId, params.paymentId)
      return { body: { paymentId: params.paymentId, abandoned: true as const, status } }
    }),
    route(endpoints.simulateTransaction, async ({ body }) => {
      const { chain, address } = meantBy(directory, body)
      return { body: await simulateTransaction(chain, body.transaction, address) }
    }),
    route(endpoints.submitTransaction, async (call) => {
      const { body, caller } = call
      const { chain } = meantBy(directory, body)
      const { build, hash, state, verdict, isApproval, replayed } = await submitTransaction(deps, {
        accountId: caller.accountId,
        chain,
        text: body.transaction,
        once: onceOf(call.idempotencyKey, endpoints.submitTransaction, body),
      })
      return {
        headers: replayed ? { 'idempotent-replayed': 'true' } : {},
        body: {
          paymentId: build.paymentId,
          signature: hash,
          network: build.network,
          status: state.status,
          ...verdictFields(verdict),
          ...(isApproval ? { approval: true as const } : {}),
          ...sandboxField(chain.config),
        },
      }
    }),
  ]
}

/** Who settles is the seller's own wallet, so no other facilitator has a part in it. */
function refuseOthers(own: string, named: string | undefined): void {
  if (named === undefined || isOwnFacilitator(own, named)) return
  const rule = `must be ${own}, or left out: your own wallet settles it`
  throw new Refusal('INVALID_PARAMETERS', { details: { facilitatorUrl: rule } })
}

function onceOf(key: string | undefined, { body: schema }: Pick<Endpoint, 'body'>, body: unknown) {
  return key === undefined ? null : { key, fingerprint: requestFingerprint(body, schema) }
}

/** The network that a transaction is for: the named one, else the default of the family of whoever signs it. */
function meantBy(
  directory: ChainDirectory,
  { network, walletAddress }: { network?: string | undefined; walletAddress?: string | undefined },
): { chain: Chain; address: Address | undefined } {
  if (walletAddress !== undefined) {
    return directory.resolve({ network, address: walletAddress, field: 'walletAddress' })
  }
  if (network === undefined) {
    const rule = 'is required where walletAddress is left out'
    throw new Refusal('INVALID_PARAMETERS', { details: { network: rule } })
  }
  return { chain: directory.named(network), address: undefined }
}
