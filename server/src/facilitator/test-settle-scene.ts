import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type {
  ExactAuthorization,
  ExactCheck,
  ExactPayments,
  PaymentScheme,
} from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { termsDigest } from './claim.ts'
import type { Presented } from './intake.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'
import { settlePayment } from './settle.ts'
import type { SettleDeps } from './settling.ts'

const config = testNetwork(84_532)
export const { network } = config
export const asset = config.assets.find((known) => known.asset !== 'native')
if (asset === undefined) throw new Error('no token')
const PAYER = 'payer' as Address
export const SELLER = 'seller' as Address
export const LOW = 'a key that is low' as Address
export const AMOUNT = 500n
export const accountId = newId(systemRandom, 'acct')
export const paymentId = newId(systemRandom, 'pay')
export const KEY = proofKey('permit2:payer:7')

/** Our attempt was included and came to nothing; nothing of ours is under way. */
export const REVERTED: ReceivedState = {
  ...{ status: 'pending', released: false, hash: null, logIndex: null, blockHeight: null },
  ...{ blockHash: null, block: 'unknown', reverted: true, wasShared: false },
  ...{
    revertedWhole: false,
    isFinal: false,
    isDeep: true,
    underWay: false,
    attemptBlock: { height: 7n, hash: 'a7' },
  },
}

/** A payment of 500 with a signature of its own, as it is stored. */
export function storedWith(signature: string): Readonly<Record<string, string>> {
  return { token: asset?.asset ?? '', from: PAYER, to: SELLER, value: `${AMOUNT}`, signature }
}

export function claimFor(amount: bigint, change: Partial<Claim> = {}): Claim {
  const terms = { network, asset: asset?.asset ?? '', payTo: SELLER, amount, resource: null }
  return {
    ...{ paymentId, accountId, network, proofKey: KEY, termsDigest: termsDigest(terms) },
    ...{ x402Version: 2, stored: storedWith('first'), validBeforeSeconds: 2n ** 40n },
    judged: [],
    ...{ sinceHeight: 0n, facilitator: null, builtUntilMilliseconds: null, isSoft: false },
    ...{ looks: 0, answeredAtMilliseconds: null },
    ...change,
  }
}

export interface Scene {
  readonly deps: SettleDeps
  readonly presented: Presented
  /** What settling was drafted for. */
  readonly drafted: readonly ExactAuthorization[]
}

/** A payment that its chain takes or refuses as said, with a claim of it; a new draft is refused. */
export function sceneOf(
  claim: Claim | undefined,
  check: ExactCheck,
  scheme: PaymentScheme,
  onlySettler?: Address,
): Scene {
  const drafted: ExactAuthorization[] = []
  const authorization: ExactAuthorization = {
    ...{ proofKey: KEY, payer: PAYER, asset, payTo: SELLER, amount: baseUnits(AMOUNT) },
    ...{ validBeforeSeconds: 2n ** 40n, feePayer: null, permit2: scheme },
    stored: storedWith('second'),
    ...(onlySettler === undefined ? {} : { onlySettler }),
  } as ExactAuthorization
  const exact: Partial<ExactPayments> = {
    read: () => ({ ok: true, authorization }),
    draft: async (asked) => {
      drafted.push(asked)
      return check.ok ? { ok: false, reason: 'permit2_simulation_failed' } : check
    },
    check: async () => check,
    usedBy: async () => (!check.ok && check.isUsed === true ? 'used' : 'unused'),
    findForeign: async () => undefined,
  }
  const chain: Chain = scriptedChain(config, {
    exact: exact as ExactPayments,
    parseAddress: (text) => text as Address,
    addressBytes: () => Uint8Array.of(1),
  })
  const tx = { query: async () => [] } as Partial<Tx> as Tx
  const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx) }
  const records: Partial<ReceivedRecords> = {
    state: async () => REVERTED,
    wait: async () => REVERTED,
    listen: () => ({ hasChanged: () => false, end: () => undefined }),
  }
  const deps: Partial<SettleDeps> = {
    ...{ store: store as Store, records: records as ReceivedRecords, random: systemRandom },
    ...{ clock: systemClock, chains: new Map([[network, chain]]), settlersOf: () => new Set() },
    claimOf: async () => claim,
    claims: { coming: () => () => undefined } as Partial<
      SettleDeps['claims']
    > as SettleDeps['claims'],
    receiverOf: async () => undefined,
    settlers: { next: () => ({ address: 'key' }) as Wallet } as Partial<
      SettleDeps['settlers']
    > as SettleDeps['settlers'],
    funds: { isLow: (_, key) => key === LOW } as Partial<
      SettleDeps['funds']
    > as SettleDeps['funds'],
  }
  const requirements = {
    ...{ scheme, network, asset: asset?.asset, amount: `${AMOUNT}`, payTo: SELLER },
    ...{ maxTimeoutSeconds: 60, extra: {} },
  }
  const payload = { permit2Authorization: {} }
  const paymentPayload = { x402Version: 2, accepted: requirements, payload }
  const presented = { paymentPayload, paymentRequirements: requirements }
  return { deps: deps as SettleDeps, presented, drafted }
}

/** Settles it. */
export function settled(claim: Claim, check: ExactCheck, by = sceneOf(claim, check, 'exact')) {
  const over = new AbortController().signal
  const { deps, presented } = by
  return settlePayment(deps, { accountId, presented, waitUntilMilliseconds: 0, over })
}
