import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { openLog } from '../../kernel/log.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Address, Chain } from '../chain.ts'
import type { ExactDemand, ExactPayments } from '../exact.ts'
import { connectSolana } from './connect.ts'
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { testNetwork, USDC } from './test-network.ts'
import { messageOf, MINT, newKey, PRICE, sealed } from './test-payment.ts'
import type { Key, Meta, Step } from './test-payment.ts'
import { associatedAccount } from './token-account.ts'

const RECOVER_NESTED = 2

/**
 * A wallet that has no key: an associated account that owns another one. The program of such accounts moves all that is in the inner one
 * by a TransferChecked of its own, signed for the outer one, once the owner of the outer one asks for it. So the owner is who acts for the
 * wallet, and it is also who is paid: the program gives to nobody else.
 */
export interface TestSmartWallet {
  /** Signs for the wallet, and gets what it pays. */
  readonly owner: Key
  /** The wallet: what has the authority over its money. */
  readonly address: Address
  /** Where its money is. */
  readonly source: Address
  /** The owner's associated account. */
  readonly destination: Address
}

export function testSmartWallet(owner: Key = newKey()): TestSmartWallet {
  const accountOf = (of: Address) => associatedAccount(of, TOKEN_PROGRAM, MINT).address
  const address = accountOf(owner.address)
  return { owner, address, source: accountOf(address), destination: address }
}

/** The wallet pays all that it has. Source: spl-associated-token-account, `RecoverNested`. */
export function paidBy(
  { owner, address, source, destination }: TestSmartWallet,
  ...more: readonly Meta[]
): Step {
  return {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: source, writes: true },
      { address: MINT },
      { address: destination, writes: true },
      { address },
      { address: MINT },
      { address: owner.address, signs: true, writes: true },
      { address: TOKEN_PROGRAM },
      ...more,
    ],
    data: Uint8Array.of(RECOVER_NESTED),
  }
}

export function smartDemand(
  wallet: TestSmartWallet,
  settler: Address,
  change: Partial<ExactDemand> = {},
): ExactDemand {
  return {
    asset: USDC,
    payTo: wallet.owner.address,
    amount: baseUnits(PRICE),
    extra: { feePayer: settler },
    settlers: new Set([settler]),
    ...change,
  }
}

/** The same chain once more, for an operator who lets these programs pay. */
export function withWalletPrograms(
  world: TestChain,
  smartWalletPrograms: readonly string[] = [ASSOCIATED_TOKEN_PROGRAM],
  rpcUrl: string = world.sandbox.solana.rpcUrl,
): { readonly chain: Chain; readonly exact: ExactPayments } {
  const chain = connectSolana({
    config: testNetwork([rpcUrl], { smartWalletPrograms }),
    log: openLog('silent'),
    clock: systemClock,
    callSeconds: 30,
  })
  if (chain.exact === undefined) throw new Error('no exact')
  return { chain, exact: chain.exact }
}

/** What the client signs of a payment whose fee a settler pays. */
export async function signedByOwner(
  world: TestChain,
  settler: TestWallet,
  steps: readonly Step[],
  keys: readonly Key[],
): Promise<Fields> {
  const message = messageOf(settler.address, steps, { blockhash: await world.latestBlockhash() })
  return { transaction: Buffer.from(sealed(message, keys)).toString('base64') }
}
