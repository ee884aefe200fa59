import { parseAddress } from '@florin/server/chains/solana/account.ts'
import { compileMessage } from '@florin/server/chains/solana/message.ts'
import type { Instruction } from '@florin/server/chains/solana/message.ts'
import { TOKEN_PROGRAM } from '@florin/server/chains/solana/programs.ts'
import { NO_SIGNATURE, withSignature } from '@florin/server/chains/solana/sign.ts'
import { associatedAccount } from '@florin/server/chains/solana/token-account.ts'
import { transferInstructions } from '@florin/server/chains/solana/transfer.ts'

const address = (text: string) => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}

interface Paid {
  readonly sender: string
  readonly recipient: string
  readonly amount?: bigint
  /** Of a token with six fraction digits. */
  readonly mint?: string
  /** Whose token account is paid, when it is not the recipient's. */
  readonly pays?: string
  readonly createsAccount?: boolean
  readonly pricePerUnit?: bigint
  readonly memo?: string
  /** Does what it likes to what runs. */
  readonly change?: (instructions: readonly Instruction[]) => readonly Instruction[]
  readonly feePayer?: string
}

/** The service's own bytes of a transfer, in base64: 2.5 SOL unless told otherwise. */
export function solanaBytes(paid: Paid): string {
  const { mint, createsAccount = false, change = (all) => all, pricePerUnit = 1_000n } = paid
  const [sender, recipient] = [address(paid.sender), address(paid.recipient)]
  const { memo = `florin1:${'c5'.repeat(32)}`, amount = 2_500_000_000n } = paid
  const account = (owner: string, of: string) =>
    associatedAccount(address(owner), TOKEN_PROGRAM, address(of)).address
  const token =
    mint === undefined
      ? {}
      : {
          token: {
            ...{ mint: address(mint), program: TOKEN_PROGRAM, decimals: 6, createsAccount },
            ...{ from: account(sender, mint), to: account(paid.pays ?? recipient, mint) },
          },
        }
  const budget = { units: 20_000n, pricePerUnit }
  const all = transferInstructions({ sender, recipient, amount, memo, ...token }, budget)
  const message = compileMessage(address(paid.feePayer ?? sender), change(all), '1'.repeat(32))
  return Buffer.from(withSignature(NO_SIGNATURE, message)).toString('base64')
}
