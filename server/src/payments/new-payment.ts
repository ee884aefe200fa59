import type { AssetProfile, NetworkConfig } from '../kernel/network-config.ts'
import type { Payment } from './payment.ts'

/** What is known of a payment before anything is known of its fate; what is left out is null, or left out there, too. */
export type PaymentTerms = Pick<
  Payment,
  'id' | 'accountId' | 'type' | 'walletId' | 'amount' | 'sender' | 'recipient'
> &
  Partial<
    Pick<
      Payment,
      | 'resource'
      | 'metadataText'
      | 'priorityFee'
      | 'feeCeiling'
      | 'commitment'
      | 'transactionHash'
      | 'tradeId'
      | 'selfCustody'
    >
  >

/** The record with which every payment begins: `pending`, of one asset of one network. */
export function newPayment(
  terms: PaymentTerms,
  { network, sandbox }: Pick<NetworkConfig, 'network' | 'sandbox'>,
  { asset, decimals }: Pick<AssetProfile, 'asset' | 'decimals'>,
  nowMilliseconds: number,
): Payment {
  return {
    network,
    asset,
    decimals,
    resource: null,
    metadataText: null,
    priorityFee: null,
    feeCeiling: null,
    commitment: null,
    status: 'pending',
    sandbox,
    finalityViolated: false,
    transactionHash: null,
    blockHeight: null,
    logIndex: null,
    feePaid: null,
    failure: null,
    createdAtMilliseconds: nowMilliseconds,
    confirmedAtMilliseconds: null,
    settledAtMilliseconds: null,
    ...terms,
  }
}
