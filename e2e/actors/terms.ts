import { getAddress } from 'viem'
import type { Family } from '@florin/wire/network.ts'
import { EVM, PRICE } from './seller.ts'
import { SOLANA } from './solana-purchase.ts'
import type { World } from './world.ts'

/** What a seller of 0.01 USDC asks for in version 2. */
export interface SellerTerms {
  readonly scheme: string
  readonly network: string
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Readonly<Record<string, unknown>>
}

/** Honest terms to a new address that has half a USDC and can be paid. */
export async function termsOf(
  world: World,
  family: Family,
  maxTimeoutSeconds = 60,
): Promise<{ terms: SellerTerms; payTo: string }> {
  const payTo = world.newAddress(family)
  await world.sandbox.fund(payTo, 'USDC', '0.5')
  const feePayer = world.service().settlers.find((each) => each.family === 'solana')?.address
  const terms = {
    scheme: 'exact',
    network: family === 'evm' ? EVM : SOLANA,
    amount: `${PRICE}`,
    asset: family === 'evm' ? getAddress(world.sandbox.usdc) : world.sandbox.solana.usdc,
    payTo,
    maxTimeoutSeconds,
    extra: family === 'evm' ? { name: 'USDC', version: '2' } : { feePayer },
  }
  return { terms, payTo }
}
