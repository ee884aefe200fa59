import type { BuiltTransaction } from '@florin/sdk'
import { hexBytes } from '@florin/server/chains/evm/hex.ts'
import { inspectBytes as inspectEvm } from '@florin/server/chains/evm/inspect.ts'
import { readWireTransaction } from '@florin/server/chains/evm/wire-transaction.ts'
import { inspectBytes as inspectSolana } from '@florin/server/chains/solana/inspect.ts'
import { parseAddress } from '@florin/server/chains/solana/account.ts'
import { associatedAccount } from '@florin/server/chains/solana/token-account.ts'
import type { Inspected, Unreadable } from '@florin/server/chains/self-custody.ts'
import { CommandFailed } from '../usage-error.ts'

/**
 * Reads the bytes themselves before anything is signed: one transfer, to that recipient, of what the build says, and nothing besides.
 * Throws CommandFailed.
 */
export function reviewBuild(build: BuiltTransaction, recipient: string): void {
  const read = inspect(build, recipient)
  const problem = read.ok ? (problemOf(build, read, recipient) ?? strayFields(build)) : read.reason
  if (problem === undefined) return
  throw new CommandFailed(`not signed, because the service built something else: ${problem}`)
}

function inspect(build: BuiltTransaction, recipient: string): Inspected | Unreadable {
  const bytes = Buffer.from(build.transaction, 'base64')
  const { format, network, summary } = build
  switch (format) {
    case 'eip1559-rlp': {
      const tokens = new Set(summary.transfers.map(({ asset }) => asset))
      const chainId = BigInt(network.split(':')[1] ?? '0')
      return inspectEvm({ chainId, tokens }, bytes)
    }
    case 'solana-v0': {
      const tokenAccount = (
        owner: Parameters<typeof associatedAccount>[0],
        mint: { address: typeof owner; program: typeof owner },
      ) => associatedAccount(owner, mint.program, mint.address)
      const wallet = parseAddress(recipient)
      return inspectSolana({ facts: { tokenAccount } }, bytes, wallet === undefined ? [] : [wallet])
    }
    default:
      return format satisfies never
  }
}

function problemOf(
  { summary: said }: BuiltTransaction,
  { summary: found }: Inspected,
  recipient: string,
): string | undefined {
  const [moved, ...more] = found.transfers
  const [promised] = said.transfers
  if (moved === undefined || promised === undefined) return 'it moves nothing'
  if (more.length > 0) return 'it makes more than one transfer'
  if (found.others.length > 0) return `it ${found.others.join(', ')}`
  if (moved.to.toLowerCase() !== recipient.toLowerCase()) return `it pays ${moved.to}`
  const isAsSaid = moved.asset === promised.asset && `${moved.amount}` === promised.amountBaseUnits
  return isAsSaid ? undefined : 'it moves another amount than it says'
}

/** On EVM the fields are what is signed: they must be those of the bytes that were read. */
function strayFields({ transaction, unsigned }: BuiltTransaction): string | undefined {
  if (unsigned === undefined) return undefined
  const bytes = readWireTransaction(Buffer.from(transaction, 'base64'))
  if (typeof bytes === 'string') return bytes
  const { chainId, nonce, to, value, data, gas, fees } = bytes
  const isSame =
    unsigned.chainId === Number(chainId) &&
    unsigned.nonce === Number(nonce) &&
    unsigned.to === to &&
    unsigned.value === `${value}` &&
    unsigned.data === hexBytes(data) &&
    unsigned.gas === `${gas}` &&
    unsigned.maxFeePerGas === `${fees.maxFeePerGas}` &&
    unsigned.maxPriorityFeePerGas === `${fees.maxPriorityFeePerGas}`
  return isSame ? undefined : 'its fields are not those of its bytes'
}
