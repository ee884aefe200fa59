import type { Endpoint } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { SettleBody, ReceiveBody } from '@florin/wire/receive.ts'
import type { Static } from 'typebox'
import type { Once } from '../facilitator/give.ts'
import { isOwnFacilitator } from '../facilitator/own-facilitator.ts'
import type { RemoteClient } from '../facilitator/remote.ts'
import { sayOrTakeBack } from '../facilitator/say-or-take-back.ts'
import { route } from '../http/route.ts'
import type { Call, Route } from '../http/route.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import type { Kept } from '../kernel/kept.ts'
import { receivedFacts } from './receive-answer.ts'
import { joinPayment, receivePayment } from './receive.ts'
import type { ReceiveDeps, Received } from './receive.ts'
import { verifyProof } from './verify-proof.ts'

const WAIT_SECONDS = 30

export interface ReceiveRoutesDeps extends ReceiveDeps {
  /** Takes back what nobody heard, also while the service stops. */
  readonly kept: Kept
  /** Where callers reach the facilitator of this service. */
  readonly facilitatorUrl: () => string
}

type Receive = Static<typeof ReceiveBody>
type Settle = Static<typeof SettleBody>

/** The routes of the seller's side. */
export function receiveRoutes(deps: ReceiveRoutesDeps): readonly Route[] {
  const settle = async (call: Call<unknown, unknown, Settle>) => {
    const { paymentId, ...fields } = call.body
    const once = onceOf(call, endpoints.settlePayment)
    if (paymentId === undefined) return receive(deps, call, once, wholeOf(fields))
    const { timeout, ...rest } = fields
    const others = Object.keys(rest)
    if (others.length > 0) {
      const rule = 'must be left out beside paymentId'
      throw invalid(Object.fromEntries(others.map((field) => [field, rule])))
    }
    const order = { ...waitOf(deps, call, timeout), once }
    return answer(deps, call, await joinPayment(deps, order, paymentId))
  }
  return [
    route(endpoints.receivePayment, (call) =>
      receive(deps, call, onceOf(call, endpoints.receivePayment), call.body),
    ),
    route(endpoints.settlePayment, settle),
    route(endpoints.settlePaymentV1, settle),
    route(endpoints.verifyPayment, async ({ body, caller }) => {
      const { payment_proof: proofText, amount, recipient, network, asset } = body
      const said = { recipient, amount, network, asset }
      const remote = remoteOf(deps, body.facilitator_url, 'facilitator_url')
      return { body: await verifyProof(deps, caller.accountId, { proofText, said, remote }) }
    }),
  ]
}

async function receive(
  deps: ReceiveRoutesDeps,
  call: Call<unknown, unknown, unknown>,
  once: Once | null,
  body: Receive,
) {
  const remote = remoteOf(deps, body.facilitatorUrl, 'facilitatorUrl')
  const { walletAddress, expectedAmount, network, asset } = body
  const received = await receivePayment(deps, {
    ...waitOf(deps, call, body.timeout),
    once,
    said: { recipient: walletAddress, amount: expectedAmount, network, asset },
    proofText: body.paymentProof,
    resource: body.resource,
    requestId: call.requestId,
    ...(remote === undefined ? {} : { remote }),
  })
  return answer(deps, call, received)
}

async function answer(
  deps: ReceiveRoutesDeps,
  { caller }: Call<unknown, unknown, unknown>,
  received: Received,
) {
  const { log, store } = deps
  const facilitator = deps.facilitatorUrl()
  const { paymentId, replayed, takeBack } = received
  const undelivered = () => {
    // When it fails the success counts as given, which the seller is told.
    deps.kept.keep(
      takeBack().catch((error: unknown) =>
        log.warn({ paymentId, err: error }, 'an undelivered success was not taken back'),
      ),
    )
  }
  const body = await sayOrTakeBack(received, () =>
    receivedFacts({ store, facilitator }, caller.accountId, received),
  )
  return {
    body,
    headers: replayed ? { 'idempotent-replayed': 'true' } : {},
    undelivered,
  }
}

function waitOf(
  { clock }: ReceiveRoutesDeps,
  { caller, over }: Call<unknown, unknown, unknown>,
  timeoutSeconds: number = WAIT_SECONDS,
) {
  return {
    accountId: caller.accountId,
    waitUntilMilliseconds: clock.nowMilliseconds() + timeoutSeconds * 1000,
    over,
  }
}

/** Both spellings of a path are one operation, so keys are kept under the name of one. */
function onceOf(
  { idempotencyKey, body }: Call<unknown, unknown, unknown>,
  { id: operation, body: schema }: Pick<Endpoint, 'id' | 'body'>,
): Once | null {
  if (idempotencyKey === undefined) return null
  return { operation, key: idempotencyKey, fingerprint: requestFingerprint(body, schema) }
}

function wholeOf(body: Omit<Settle, 'paymentId'>): Receive {
  const { walletAddress, paymentProof, expectedAmount } = body
  if (walletAddress === undefined || paymentProof === undefined || expectedAmount === undefined) {
    const needed = { walletAddress, paymentProof, expectedAmount }
    const missing = Object.entries(needed).filter(([, value]) => value === undefined)
    const rule = 'is required without paymentId'
    throw invalid(Object.fromEntries(missing.map(([field]) => [field, rule])))
  }
  return { ...body, walletAddress, paymentProof, expectedAmount }
}

/** Whoever is named to settle: undefined for this service. One that the operator has not listed is refused. */
function remoteOf(
  { remotes, facilitatorUrl }: ReceiveRoutesDeps,
  named: string | undefined,
  field: string,
): RemoteClient | undefined {
  const own = facilitatorUrl()
  if (named === undefined || isOwnFacilitator(own, named)) return undefined
  const remote = remotes.find(named)
  if (remote !== undefined) return remote
  const listed = remotes.areAny ? ', or a facilitator that this service allows' : ''
  throw invalid({ [field]: `must be ${own}, or left out${listed}` })
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}
