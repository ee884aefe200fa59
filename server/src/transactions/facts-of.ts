import type { Built, TransactionSummary } from '../chains/self-custody.ts'
import type { BuildFacts, SummaryFacts } from './build.ts'

/** A built transaction in plain text, as it is kept and answered. */
export function factsOf({ format, fee, summary, unsigned }: Built): BuildFacts {
  return {
    format,
    fee: { max: `${fee.max}`, priority: `${fee.priority}`, accountRent: `${fee.accountRent}` },
    summary: summaryFacts(summary),
    unsigned: unsigned && {
      to: unsigned.to,
      value: `${unsigned.value}`,
      data: unsigned.data,
      nonce: `${unsigned.nonce}`,
      gas: `${unsigned.gas}`,
      maxFeePerGas: `${unsigned.maxFeePerGas}`,
      maxPriorityFeePerGas: `${unsigned.maxPriorityFeePerGas}`,
      chainId: `${unsigned.chainId}`,
    },
  }
}

/** What a transaction does, in plain text. */
export function summaryFacts(summary: TransactionSummary): SummaryFacts {
  return {
    feePayer: summary.feePayer,
    transfers: summary.transfers.map(({ asset, from, to, amount }) => ({
      asset,
      from,
      to,
      amountBaseUnits: `${amount}`,
    })),
    commitments: summary.commitments,
    createsAccounts: summary.createsAccounts,
    others: summary.others,
  }
}
