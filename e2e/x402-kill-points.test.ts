import { describeSettlementKillPoints } from './actors/x402-kill-points.ts'

describeSettlementKillPoints(['evm', 'solana'])
