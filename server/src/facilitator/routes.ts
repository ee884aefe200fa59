import { endpoints } from '@florin/wire/endpoints.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain } from '../chains/chain.ts'
import type { KnownReceivers } from '../custody/known-receivers.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import type { Kept } from '../kernel/kept.ts'
import type { Log } from '../kernel/log.ts'
import { nothingAnswer, settleAnswer, verifyAnswer } from './answer.ts'
import { givenUnderKey } from './given-under-key.ts'
import { batchHeaders, batchSettleAnswer, batchVerifyAnswer } from './batch/answer.ts'
import { isBatch } from './batch/intake.ts'
import { listCalls, readCall } from './batch/list-calls.ts'
import { bazaarOfDeposit, listDeposit } from './batch/list-deposit.ts'
import { settleBatch } from './batch/settle-batch.ts'
import type { GivenKey } from './escrow-call-store.ts'
import { openCallLooks } from './escrow-looks-store.ts'
import type { CallDeps } from './batch/make-call.ts'
import { verifyBatch } from './batch/verify-batch.ts'
import { bazaarOfVerified, extensionHeaders, listSettled } from './list-settled.ts'
import { openLister } from './lister.ts'
import { sayOrTakeBack, saySettled } from './say-or-take-back.ts'
import { settlePayment } from './settle.ts'
import type { SettleDeps } from './settling.ts'
import { settleNothing } from './settle-nothing.ts'
import { showSponsoring } from './show-sponsoring.ts'
import { supported } from './supported.ts'
import { verifyPayment } from './verify.ts'

/** Below the 30 s after which impatient clients give up; stock clients wait 90 s. */
const SETTLE_WAIT_MILLISECONDS = 25_000
/**
 * Where an approval of the payer's comes first: two blocks of twelve seconds and one that was missed, and then one or two for the settlement.
 * Stock sellers do not ask again by themselves. Together below the 60 s of common proxies, our own `keepAliveSeconds`, and the 90 s for which stock
 * sellers wait (@x402/core 2.27, HTTPFacilitatorClient; earlier ones wait without an end).
 */
const APPROVAL_WAIT_MILLISECONDS = 36_000
const AFTER_APPROVAL_MILLISECONDS = 20_000

export interface X402RoutesDeps extends SettleDeps, CallDeps {
  readonly log: Log
  readonly receivers: Pick<KnownReceivers, 'accountOf'>
  /** Takes back what nobody heard and lists what was settled, also while the service stops. */
  readonly kept: Kept
  /** Whether the network can be settled on now. */
  readonly isUsable: (chain: Chain) => boolean
}

/** The facilitator under /x402, in the shapes of x402. */
export function x402Routes(deps: X402RoutesDeps): readonly Route[] {
  const { chains, settlers, funds, clock, isUsable, log } = deps
  const verifyDeps = { ...deps, receiverOf: deps.receivers.accountOf }
  const list = openLister(deps)
  const networks = new Map([...chains].map(([network, { config }]) => [network, config]))
  const calls = { store: deps.store, networks }
  const batchDeps = { ...deps, lookAtCall: openCallLooks(deps.store) }
  let turn = 0
  return [
    route(endpoints.x402Verify, async ({ body, caller }) => {
      if (isBatch(body)) {
        const verified = await verifyBatch(verifyDeps, caller.accountId, body)
        const headers = extensionHeaders(bazaarOfDeposit(verified, body))
        return { headers, body: batchVerifyAnswer(verified) }
      }
      const verified = await verifyPayment(verifyDeps, caller.accountId, body)
      const headers = extensionHeaders(bazaarOfVerified(verified, body))
      return { headers, body: verifyAnswer(verified, body) }
    }),
    route(endpoints.x402Settle, async ({ body, caller, requestId, over, idempotencyKey: key }) => {
      const operation = endpoints.x402Settle.id
      const once = key === undefined ? null : { operation, key, fingerprint: fingerprint(body) }
      // Of another body it is refused; for the same one the settlement is joined, and its success is given again.
      await givenUnderKey(deps.store, caller.accountId, once)
      if (isBatch(body)) {
        const waitUntilMilliseconds = clock.nowMilliseconds() + SETTLE_WAIT_MILLISECONDS
        const order = { accountId: caller.accountId, presented: body, requestId }
        const waiting = { waitUntilMilliseconds, over, once: once && givenUnder(once.key, body) }
        const made = await settleBatch(batchDeps, { ...order, ...waiting })
        const say = () => {
          const bazaar = listDeposit(list, caller.accountId, made, body)
          const headers = { ...extensionHeaders(bazaar), ...batchHeaders(made) }
          return { headers, body: batchSettleAnswer(made) }
        }
        const giveBack = made.kind === 'settled' ? made.giveBack : undefined
        if (giveBack === undefined) return say()
        const answer = await sayOrTakeBack({ takeBack: giveBack }, async () => say())
        return { ...answer, undelivered: () => deps.kept.keep(keptBack(log, giveBack)) }
      }
      const nothing = await settleNothing(deps, caller.accountId, body)
      if (nothing !== undefined) return { body: nothingAnswer(nothing, body) }
      const now = clock.nowMilliseconds()
      const settled = await settlePayment(deps, {
        accountId: caller.accountId,
        presented: body,
        once,
        requestId,
        waitUntilMilliseconds: now + SETTLE_WAIT_MILLISECONDS,
        approvalWait: {
          untilMilliseconds: now + APPROVAL_WAIT_MILLISECONDS,
          settlementMilliseconds: AFTER_APPROVAL_MILLISECONDS,
        },
        over,
      })
      const answer = await saySettled(settled, () => {
        const bazaar = listSettled(list, caller.accountId, settled, body)
        const replayed: Readonly<Record<string, string>> =
          settled.kind === 'settled' && settled.replayed ? { 'idempotent-replayed': 'true' } : {}
        const headers = { ...extensionHeaders(bazaar), ...replayed }
        return { headers, body: settleAnswer(settled, body) }
      })
      if (settled.kind !== 'settled') return answer
      const { paymentId, takeBack } = settled
      const undelivered = () => {
        // When it fails the success counts as given, which the seller is told.
        deps.kept.keep(
          takeBack().catch((error: unknown) =>
            log.warn({ paymentId, err: error }, 'an undelivered success was not taken back'),
          ),
        )
      }
      return { ...answer, undelivered }
    }),
    route(endpoints.x402Supported, async () => ({
      body: supported({
        sponsored: await sponsoredNow(deps),
        chains: [...chains.values()],
        settlers,
        isLow: (network, address) => funds.isLow(network, address),
        turn: (turn += 1),
        isUsable: (chain) => isUsable(chain) && funds.canPay(chain),
      }),
    })),
    route(endpoints.listEscrowCalls, async ({ caller: { accountId }, query }) => ({
      body: await listCalls(calls, accountId, query),
    })),
    route(endpoints.getEscrowCall, async ({ caller: { accountId }, params }) => ({
      body: await readCall(calls, accountId, params.callId),
    })),
    route(endpoints.getSponsoring, async ({ caller: { accountId } }) => ({
      body: await showSponsoring({ ...deps, chains: [...chains.values()] }, accountId),
    })),
  ]
}

function givenUnder(key: string, body: unknown): GivenKey {
  return { key, fingerprint: fingerprint(body) }
}

/** When it fails the success counts as given. */
async function keptBack(log: Log, giveBack: () => Promise<void>): Promise<void> {
  await giveBack().catch((error: unknown) =>
    log.warn({ err: error }, 'an undelivered success of a deposit was not taken back'),
  )
}

/** Networks whose wallet for approvals could give now what one may take. */
async function sponsoredNow({
  chains,
  approvals,
}: Pick<X402RoutesDeps, 'chains' | 'approvals'>): Promise<ReadonlySet<NetworkId>> {
  if (approvals === undefined) return new Set()
  const asked = [...chains].map(
    async ([network, chain]) => [network, await approvals.canGive(chain)] as const,
  )
  return new Set(
    (await Promise.all(asked)).flatMap(([network, isAble]) => (isAble ? [network] : [])),
  )
}
