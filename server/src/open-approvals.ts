import { findWallet } from './custody/store.ts'
import type { AskedWallet } from './custody/store.ts'
import type { ApprovalSponsor } from './facilitator/approval-sponsor.ts'
import { openApprovalSponsor } from './payments/fund-approval.ts'
import type { FundDeps } from './payments/fund-approval.ts'

/** Puts together what gives payers what their approvals take. */
export function openApprovals(deps: Omit<FundDeps, 'walletOf'>): ApprovalSponsor {
  const walletOf = ({ accountId, family, address }: AskedWallet) =>
    deps.store.inTransaction(accountId, (tx) => findWallet(tx, accountId, family, address))
  return openApprovalSponsor({ ...deps, walletOf })
}
