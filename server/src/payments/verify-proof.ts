import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import { isSameClaim, isShown, notShownReason, termsDigest } from '../facilitator/claim.ts'
import type { Claim } from '../facilitator/claim.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import { transferKey } from '../facilitator/claim-transfer.ts'
import { remoteBody } from '../facilitator/remote-body.ts'
import type { RemoteClient } from '../facilitator/remote.ts'
import { takeIn } from '../facilitator/intake.ts'
import { verifyPayment } from '../facilitator/verify.ts'
import type { AccountId } from '../kernel/id.ts'
import { expectationOf, requirementsOf } from './expectation.ts'
import type { Expectation, Said } from './expectation.ts'
import type { PaymentStatus } from './payment.ts'
import { requireRemote } from './receive.ts'
import type { ReceiveDeps } from './receive.ts'
import { digestOf, findTransfer, standingOf } from './receive-transfer.ts'
import { readShownProof } from './shown-proof.ts'
import type { ShownProof } from './shown-proof.ts'
import { findPayment } from './store.ts'

/** What the fields of a verification are called. */
const VERIFY_FIELDS = { recipient: 'recipient', amount: 'amount' } as const

interface Asked {
  readonly proofText: string
  readonly said: Said
  /** Another facilitator that would have to settle it, too. */
  readonly remote: RemoteClient | undefined
}

type Verdict = {
  readonly reason: Reason | null
  readonly payer: string | null
  readonly own?: { readonly paymentId: string; readonly status: PaymentStatus }
}

/** Whether a proof would settle now, for this account and these terms. Stores nothing and moves nothing. */
export async function verifyProof(
  deps: ReceiveDeps,
  accountId: AccountId,
  { proofText, said, remote }: Asked,
) {
  const read = readShownProof(proofText)
  const shown = read.ok ? read.shown : undefined
  const expected = expectationOf(deps.directory, said, VERIFY_FIELDS, shown)
  if (remote !== undefined && shown !== undefined) requireRemote(shown, expected)
  const { reason, payer, own } = read.ok
    ? await verdictOn(deps, accountId, read.shown, expected, remote)
    : { reason: read.reason, payer: null, own: undefined }
  const { chain, asset, payTo, amount } = expected
  return {
    valid: reason === null,
    ...(reason === null ? {} : { reason }),
    ...(payer === null ? {} : { payer }),
    amount: new RawJson(formatAmount(amount, asset.decimals)),
    recipient: payTo,
    network: chain.config.network,
    asset: asset.asset,
    ...own,
  }
}

function verdictOn(
  deps: ReceiveDeps,
  accountId: AccountId,
  shown: ShownProof,
  expected: Expectation,
  remote: RemoteClient | undefined,
): Promise<Verdict> {
  return shown.scheme === 'transfer'
    ? verifyTransfer(deps, accountId, shown, expected)
    : verifyExact(deps, accountId, shown, expected, remote)
}

async function verifyExact(
  deps: ReceiveDeps,
  accountId: AccountId,
  shown: Extract<ShownProof, { scheme: 'exact' }>,
  expected: Expectation,
  remote: RemoteClient | undefined,
): Promise<Verdict> {
  const paymentRequirements = requirementsOf(expected, shown)
  const presented = { paymentPayload: shown.header, paymentRequirements }
  const taken = takeIn(presented, deps.chains, deps.settlersOf)
  if (!taken.ok) return taken
  const { authorization, resource } = taken.intake
  const { payer, payTo, asset, amount } = authorization
  const { network } = expected.chain.config
  const claim = await deps.store.inTransaction('service', (tx) =>
    findClaim(tx, network, authorization.proofKey),
  )
  const digest = termsDigest({ network, asset: asset.asset, payTo, amount, resource })
  if (claim !== undefined && !isShown(claim, authorization)) {
    return { reason: notShownReason(authorization), payer }
  }
  if (claim !== undefined) return claimed(deps, accountId, claim, digest, payer)
  const verified = await verifyPayment(deps, accountId, presented)
  if (!verified.ok) return verified
  const word = await remote?.verify(remoteBody(presented))
  if (word === undefined || word.kind === 'yes') return { reason: null, payer }
  return { reason: word.kind === 'no' ? word.reason : 'network_unavailable', payer }
}

async function verifyTransfer(
  deps: ReceiveDeps,
  accountId: AccountId,
  { proof }: Extract<ShownProof, { scheme: 'transfer' }>,
  expected: Expectation,
): Promise<Verdict> {
  const found = await findTransfer(deps, { proof, expected })
  if (!found.ok) return { reason: found.reason, payer: null }
  const { claimed: terms, sent } = found.transfer
  const { family, network } = expected.chain.config
  const payer = terms.sender
  const seen = await deps.store.inTransaction('service', async (tx) => ({
    claim: await findClaim(tx, network, transferKey(terms.commitment)),
    owner: await receiverAccount(tx, family, expected.payTo),
    standing: await standingOf(tx, expected, sent, deps.clock.nowMilliseconds()),
  }))
  if (seen.claim !== undefined) {
    const digest = digestOf({ resource: undefined }, terms)
    return claimed(deps, accountId, seen.claim, digest, payer)
  }
  if (seen.owner !== undefined && seen.owner !== accountId) {
    return { reason: 'receiver_of_another_account', payer }
  }
  switch (seen.standing.kind) {
    case 'ready':
      return { reason: null, payer }
    case 'waiting':
      return { reason: 'settlement_pending', payer }
    case 'refused':
      return { reason: seen.standing.reason, payer }
    default:
      return seen.standing satisfies never
  }
}

/** Somebody has claimed it: good for the same account only, for the same terms, and while nobody has had the success. */
async function claimed(
  { store }: ReceiveDeps,
  accountId: AccountId,
  claim: Claim,
  digest: Uint8Array,
  payer: string,
): Promise<Verdict> {
  if (claim.accountId !== accountId) return { reason: 'duplicate_settlement', payer }
  const { paymentId } = claim
  const payment = await store.inTransaction(accountId, (tx) =>
    findPayment(tx, accountId, paymentId),
  )
  if (payment === undefined) throw new Error('a claim has no record')
  const isOver = payment.status === 'failed' || payment.status === 'expired'
  const isGood =
    isSameClaim(claim, accountId, digest) && claim.answeredAtMilliseconds === null && !isOver
  const own = { paymentId, status: payment.status }
  return { reason: isGood ? null : 'duplicate_settlement', payer, own }
}
