import { baseUnits } from '@florin/wire/amount.ts'
import type { PaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import type { Address, Chain, Terms } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork, TOKEN } from '../payments/test-lane.ts'
import type { ClaimOrder } from './claim-many.ts'
import type { Intake } from './intake.ts'

/** What one transaction of the chain costs. */
export const FEE = 100n
export const config = {
  ...testNetwork(84_532),
  sponsoring: {
    gasPerAccountPerDay: 3n * FEE,
    gasPerPayerPerDay: 10n * FEE,
    paymentToGasPercent: 1n,
  },
}
const { network } = config
const PAYER = '0x00000000000000000000000000000000000000a1' as Address

/** What a claim differs by. */
export interface Change {
  readonly account?: Pick<Wallet, 'accountId'>
  readonly payer?: Address
  readonly payTo?: Address
  readonly laneLatest?: bigint
  readonly fee?: bigint
  readonly balance?: bigint
  readonly identifier?: string
}

/** The order of a new claim of five units of the token, to an address of nobody unless said otherwise. */
export function testClaimOrder(
  chain: Chain,
  proof: string,
  change: Change & { readonly account: Pick<Wallet, 'accountId'> },
): ClaimOrder {
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  const { payTo = '0x00000000000000000000000000000000000000a2' as Address, payer = PAYER } = change
  const authorization = {
    proofKey: proofKey(proof),
    payer,
    asset,
    payTo,
    amount: baseUnits(5n),
    validBeforeSeconds: 9n,
    feePayer: null,
    stored: { token: TOKEN, from: payer, to: payTo, value: '5' },
  }
  const intake: Partial<Intake> = {
    chain,
    authorization,
    payment: { x402Version: 2 } as Partial<PaymentPayload> as PaymentPayload,
    resource: null,
  }
  const { accountId } = change.account
  const { identifier } = change
  return {
    beginning: {
      accountId,
      paymentId: newId(systemRandom, 'pay'),
      digest: new Uint8Array(32),
      intake: intake as Intake,
      isNew: true,
      ...(identifier === undefined
        ? {}
        : { named: { accountId, payer, identifier, network, proofKey: authorization.proofKey } }),
    },
    draft: {
      terms: { of: proof } as Readonly<Record<string, string>> as Terms,
      feeCeiling: baseUnits(FEE),
      feeExpected: baseUnits(change.fee ?? FEE),
      laneLatest: change.laneLatest ?? 0n,
      settlerBalance: change.balance ?? 10n * FEE,
    },
  }
}
