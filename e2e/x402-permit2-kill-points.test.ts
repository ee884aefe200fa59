import { describeSettlementKillPoints } from './actors/x402-kill-points.ts'

// The path is that of every settlement on EVM: what is here is where a payment by Permit2 has to be known again.
describeSettlementKillPoints(
  ['permit2'],
  ['claim.after-commit', 'broadcast.after-node'],
  ['settle.before-commit'],
)
