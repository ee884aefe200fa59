import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Terms, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { insertClaim } from '../facilitator/claim-store.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
import { storeTransactions } from '../sender/transaction-store.ts'
import type { Store } from '../store/postgres.ts'
import { openReceivedRecords } from './received.ts'
import { TOKEN } from './test-lane.ts'
import { noWaits } from './test-waits.ts'

/** Whoever pays a claim of a test. */
export const PAYER = '0x00000000000000000000000000000000000000a1' as Address
export const SELLER = '0x00000000000000000000000000000000000000a2' as Address

/** The books of received payments, for whoever never waits. */
export function recordsOf(store: Store, config: NetworkConfig): ReceivedRecords {
  return openReceivedRecords({
    clock: systemClock,
    waits: noWaits,
    networks: new Map([[config.network, config]]),
    inTransaction: (scope, work) => store.inTransaction(scope, work),
  })
}

/** A claim of a payment of five units of the token, and its record. */
export async function openTestClaim(
  store: Store,
  records: ReceivedRecords,
  {
    config,
    accountId,
    createdAt,
    validBeforeSeconds = 9n,
    payTo = SELLER,
  }: {
    config: NetworkConfig
    accountId: AccountId
    createdAt: number
    validBeforeSeconds?: bigint | null
    payTo?: Address
  },
): Promise<PaymentId> {
  const paymentId = newId(systemRandom, 'pay')
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  await store.inTransaction('service', async (tx) => {
    const claim = {
      paymentId,
      accountId,
      network: config.network,
      proofKey: proofKey(paymentId),
      termsDigest: new Uint8Array(32),
      x402Version: 2 as const,
      stored: { token: TOKEN, from: PAYER, to: payTo, value: '5' },
      validBeforeSeconds,
      sinceHeight: 0n,
    }
    await insertClaim(tx, claim, createdAt)
    const terms = { asset, amount: baseUnits(5n), payer: PAYER, payTo, resource: null }
    await records.open(tx, { paymentId, accountId, network: config, ...terms })
  })
  return paymentId
}

/** A transaction of a new lane that carries a claim. */
export async function carryTestClaim(
  store: Store,
  network: NetworkId,
  { address }: Pick<Wallet, 'address'>,
  { paymentId, hash }: { paymentId: PaymentId; hash: TransactionHash },
): Promise<void> {
  await store.inTransaction('service', async (tx) => {
    await tx.query(
      'test_lane',
      'insert into lanes (network, address, next_nonce) values ($1, $2, 1)',
      [network, address],
    )
    const signed = { hash, raw: Uint8Array.of(1) }
    const paid = { paymentIds: [paymentId], feeCeiling: baseUnits(1n) }
    await storeTransactions(
      tx,
      { network, address },
      [{ nonce: 0n, terms: {} as Terms, signed, ...paid }],
      systemClock.nowMilliseconds(),
    )
  })
}
