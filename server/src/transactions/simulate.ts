import type { Address, Chain } from '../chains/chain.ts'
import type { SummaryFacts } from './build.ts'
import { selfCustodyOf } from './build-transaction.ts'
import { summaryFacts } from './facts-of.ts'
import { badTransaction, readTransaction, transactionBytes } from './read-transaction.ts'
import { inNative, sandboxField, summaryFields } from './view.ts'

/** What a transaction would do if it were sent now. Stores nothing and sends nothing. */
export async function simulateTransaction(chain: Chain, text: string, signer: Address | undefined) {
  const selfCustody = selfCustodyOf(chain)
  const bytes = transactionBytes(text)
  const inspected = readTransaction(selfCustody, bytes, signer === undefined ? [] : [signer])
  const outcome = await selfCustody.simulate(bytes, inspected.sender ?? signer)
  if ('ok' in outcome) throw badTransaction(outcome.reason)
  const { config } = chain
  return {
    network: config.network,
    succeeds: outcome.succeeds,
    error: outcome.error,
    changes: outcome.changes.map(({ address, asset, delta }) => ({
      address,
      asset,
      deltaBaseUnits: delta.toString(),
    })),
    fee: inNative(outcome.fee.toString(), config),
    summary: summaryFields(signedBy(summaryFacts(inspected.summary), signer)),
    signed: inspected.isSigned,
    ...sandboxField(config),
  }
}

/** The same with whoever would sign, where the bytes leave it open. */
function signedBy(summary: SummaryFacts, signer: Address | undefined): SummaryFacts {
  const { feePayer, transfers } = summary
  if (signer === undefined) return summary
  return {
    ...summary,
    feePayer: feePayer ?? signer,
    transfers: transfers.map(({ from, ...transfer }) => ({ ...transfer, from: from ?? signer })),
  }
}
