import type { Address } from '../../chain.ts'
import type { View } from '../multicall.ts'
import type { Call } from '../transfer.ts'
import { callData } from './words.ts'

const ALLOWANCE = 'dd62ed3e'
export const APPROVE = '095ea7b3'

/** What a spender may take of somebody's tokens; 0 where the token says nothing. */
export function allowanceView(token: Address, owner: Address, spender: Address): View {
  return { target: token, data: callData(ALLOWANCE, [owner, spender]), absent: 0n }
}

/** Lets a spender take exactly so much, whatever it was before. */
export function approveCall(token: Address, spender: Address, amount: bigint): Call {
  const data = Buffer.from(callData(APPROVE, [spender, amount]), 'hex')
  return { to: token, value: 0n, data }
}
