import { describeTrading } from './actors/trading.ts'

describeTrading('solana')
