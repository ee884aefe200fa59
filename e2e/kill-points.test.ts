import { describeKillPoints } from './actors/kill-points.ts'

describeKillPoints('evm')
