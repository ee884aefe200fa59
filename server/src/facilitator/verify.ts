import type { Family, NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ExactCheck } from '../chains/exact.ts'
import type { AskedReceiver } from '../custody/known-receivers.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { duplicateMessage } from './duplicate-message.ts'
import type { Claim } from './claim.ts'
import type { AskedClaim } from './claim-store.ts'
import { whyNotSubmitted } from './sponsor-approval.ts'
import type { ApprovalDeps } from './sponsor-approval.ts'
import { isIdentifierTaken } from './identifier-store.ts'
import { refused, takeIn, UPTO } from './intake.ts'
import type { Intake, Presented, Refused } from './intake.ts'
import { namedPayment } from './named-payment.ts'
import type { SettlerFunds } from './settler-funds.ts'
import type { ReceivedRecords } from './records.ts'

export interface VerifyDeps extends Pick<ApprovalDeps, 'approvals'> {
  readonly store: Store
  /** What became of the payment that has a name. */
  readonly records: Pick<ReceivedRecords, 'state'>
  readonly chains: ReadonlyMap<NetworkId, Chain>
  /** Our addresses that settle on networks of a family. */
  readonly settlersOf: (family: Family) => ReadonlySet<Address>
  /** Who may claim payments to an address, as of a moment ago; left out, the database is asked. */
  readonly receiverOf?: (
    asked: AskedReceiver,
  ) => AccountId | undefined | Promise<AccountId | undefined>
  /** Whoever claimed a proof, asked together with others; left out, no claim is looked at. */
  readonly claimOf?: (asked: AskedClaim) => Promise<Claim | undefined>
  /** Which keys should not be asked to sign; left out, all may. */
  readonly funds?: Pick<SettlerFunds, 'isLow'>
  /** Told of every verdict; left out, nobody is. */
  readonly onVerified?: (accountId: AccountId, verified: Verified) => void
}

const FORGED = 'invalid_exact_evm_signature'

export type Verified = { readonly ok: true; readonly intake: Intake } | Refused

/**
 * Whether a payment would settle now: a statement, not a lock. Nothing is stored and nothing may be released on it. At most one node
 * round trip, shared with whoever asks at the same moment; one more where accounts alone do not tell. Throws NodeFailure when no node answered: that is nobody's fault.
 */
export async function verifyPayment(
  deps: VerifyDeps,
  accountId: AccountId,
  presented: Presented,
): Promise<Verified> {
  const taken = takeIn(presented, deps.chains, deps.settlersOf, undefined, 'verify')
  const verified = taken.ok ? await judge(deps, accountId, taken.intake) : taken
  deps.onVerified?.(accountId, verified)
  return verified
}

/** What is asked beside the chain. */
interface Beside {
  /** Whose the receiving address is. */
  readonly owner: AccountId | undefined
  /** Another payment of this payer has its name. */
  readonly isTaken: boolean
  readonly claim: Claim | undefined
}

async function judge(deps: VerifyDeps, accountId: AccountId, intake: Intake): Promise<Verified> {
  const { chain, authorization, requirements } = intake
  const { networkName } = requirements
  const { payer } = authorization
  const { network } = chain.config
  // The chain is asked before this is awaited, and never throws at once: a rejection of one must not be nobody's while the other is awaited.
  const asked = besideChain(deps, accountId, intake)
  const [check, { owner, isTaken, claim }] =
    asked instanceof Promise
      ? await Promise.all([chainSays(deps, intake), asked])
      : [await chainSays(deps, intake), asked]
  // Whoever shows what its payer never signed hears nothing of that payer's other payments, whoever found out, and when.
  if (!check.ok && check.reason === FORGED) {
    return refused(check.reason, networkName, payer, check.message)
  }
  if (owner !== undefined && owner !== accountId) {
    return refused('receiver_of_another_account', networkName, payer)
  }
  if (isTaken) return refused('payment_identifier_conflict', networkName, payer)
  if (claim !== undefined) {
    const message = await duplicateMessage(deps, claim, accountId)
    return refused('duplicate_settlement', networkName, payer, message)
  }
  if (!check.ok) return refused(check.reason, networkName, payer, check.message)
  if (check.approval !== undefined) {
    const reason = await whyNotSubmitted(deps, accountId, intake, check.approval)
    if (reason !== undefined) return refused(reason, networkName, payer)
  }
  const { onlySettler } = authorization
  if (onlySettler !== undefined && deps.funds?.isLow(network, onlySettler) === true) {
    return refused('network_unavailable', networkName, payer)
  }
  return { ok: true, intake }
}

/** At once, where all of it is remembered. */
function besideChain(
  deps: VerifyDeps,
  accountId: AccountId,
  intake: Intake,
): Beside | Promise<Beside> {
  const { chain, authorization } = intake
  const { network, family } = chain.config
  const { payTo, permit2, proofKey } = authorization
  const { receiverOf = (asked) => receiverAccount(deps.store, asked.family, asked.address) } = deps
  const named = namedPayment(accountId, intake)
  const owner = receiverOf({ family, address: payTo })
  if (named === undefined && permit2 !== UPTO && !(owner instanceof Promise)) {
    return { owner, isTaken: false, claim: undefined }
  }
  return Promise.all([
    owner,
    named === undefined
      ? false
      : deps.store.inTransaction('service', (tx) => isIdentifierTaken(tx, deps.records, named)),
    // What was claimed for one amount settles for no other, so a seller must not work for it again.
    permit2 === UPTO ? deps.claimOf?.({ network, proofKey }) : undefined,
  ]).then(([known, isTaken, claim]) => ({ owner: known, isTaken, claim }))
}

/**
 * What the chain says. Where accounts alone may show that it would pass they are asked first: nobody can have settled it before without the
 * signature of a key of ours, which its claim tells.
 */
async function chainSays(
  { claimOf }: VerifyDeps,
  { chain, exact, authorization }: Intake,
): Promise<ExactCheck> {
  const { plain, proofKey } = authorization
  if (plain === undefined || exact.stands === undefined || claimOf === undefined) {
    return exact.check(authorization)
  }
  const [stands, claim] = await Promise.all([
    exact.stands(authorization),
    claimOf({ network: chain.config.network, proofKey }),
  ])
  return stands && claim === undefined ? { ok: true } : exact.check(authorization)
}
