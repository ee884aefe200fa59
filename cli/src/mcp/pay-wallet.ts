import type { Family } from '@florin/wire/network.ts'
import { choosePayer, isSameAddress } from '../caller/choose-payer.ts'
import { CommandFailed } from '../usage-error.ts'
import type { ToolCall } from './tool.ts'

const WORDS = { choose: 'walletAddress', see: 'See list_wallets.' }

/** The wallet that pays for a call: the one it names, if it may, or the only one. @throws CommandFailed that says what to do */
export async function payWallet(
  { florin, allowance, input, signal }: ToolCall,
  family: Family,
  recipient?: string,
): Promise<string> {
  const { wallets: among } = allowance
  const named = input.text('walletAddress')
  if (named === undefined) {
    const order = { family, among, inWords: WORDS }
    const chosen = await choosePayer(
      florin,
      recipient === undefined ? order : { ...order, recipient },
      signal,
    )
    return chosen.address
  }
  if (among !== undefined && !among.some((one) => isSameAddress(one, named))) {
    throw new CommandFailed(
      `the wallet ${named} may not pay here. Whoever runs this server decides that (--wallets).`,
    )
  }
  return named
}
