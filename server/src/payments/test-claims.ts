import { baseUnits } from '@florin/wire/amount.ts'
import type { Address } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import { insertClaim } from '../facilitator/claim-store.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
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
