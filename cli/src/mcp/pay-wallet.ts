import type { Family } from '@florin/wire/network.ts'
import { choosePayer } from '../caller/choose-payer.ts'
import { CommandFailed } from '../usage-error.ts'
import { isPayer } from './allowance.ts'
import type { ToolCall } from './tool.ts'

const WORDS = { choose: 'walletAddress', see: 'See list_wallets.' }

/** The wallet that pays for a call: the one it names, if it may, or the only one. @throws CommandFailed that says what to do */
export async function payWallet(
  { florin, allowance, input, signal }: ToolCall,
  family: Family,
  recipient?: string,
): Promise<string> {
  const named = input.text('walletAddress')
  if (named === undefined) {
    const mayPay = (address: string) => isPayer(allowance, address)
    const order = {
      family,
      mayPay,
      inWords: WORDS,
      ...(recipient === undefined ? {} : { recipient }),
    }
    return (await choosePayer(florin, order, signal)).address
  }
  if (!isPayer(allowance, named)) {
    throw new CommandFailed(
      `the wallet ${named} may not pay here. Whoever runs this server decides that (--wallets).`,
    )
  }
  return named
}
