import type { BuiltTransaction, Network } from '@florin/sdk'
import { hexBytes } from '@florin/server/chains/evm/hex.ts'
import { inspectBytes as inspectEvm } from '@florin/server/chains/evm/inspect.ts'
import { readWireTransaction } from '@florin/server/chains/evm/wire-transaction.ts'
import { parseAddress } from '@florin/server/chains/solana/account.ts'
import { inspectBytes as inspectSolana } from '@florin/server/chains/solana/inspect.ts'
import { associatedAccount } from '@florin/server/chains/solana/token-account.ts'
import type { Inspected, Unreadable } from '@florin/server/chains/self-custody.ts'
import { parseAmount } from '@florin/wire/amount.ts'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import { CommandFailed } from '../usage-error.ts'

/** What somebody typed. */
export interface OwnOrder {
  readonly recipientAddress: string
  /** Whole units, decimal text. */
  readonly amount: string
  /** `native`, a symbol, an address or a mint. */
  readonly asset: string
  /** CAIP-2 or an x402 v1 name; left out, the service chooses one of the wallet's family. */
  readonly network?: string | undefined
}

type Asset = Network['assets'][number]

/**
 * Reads the bytes themselves before anything is signed: one transfer of the amount that was typed, to that recipient, and nothing besides.
 * The service is believed about which token a symbol is and how many digits it has. The client's own check, of the sender and the fee, too,
 * comes after it: two readers of the bytes that share nothing. Throws CommandFailed.
 */
export function reviewBuild(
  build: BuiltTransaction,
  order: OwnOrder,
  networks: readonly Pick<Network, 'network' | 'assets'>[],
): void {
  const asset = networks
    .find(({ network }) => network === build.network)
    ?.assets.find((each) => isNamed(each, order.asset))
  const wanted = order.network === undefined ? build.network : readNetworkName(order.network)
  const problem =
    wanted !== build.network
      ? `it is for ${build.network}`
      : asset === undefined
        ? `${build.network} lists no ${order.asset}`
        : (problemOf(inspect(build, order, asset), order, asset) ?? strayFields(build))
  if (problem === undefined) return
  throw new CommandFailed(`not signed, because the service built something else: ${problem}`)
}

function isNamed({ asset, symbol }: Asset, name: string): boolean {
  return isSame(asset, name) || isSame(symbol, name)
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

function inspect(
  { transaction, format, network }: BuiltTransaction,
  { recipientAddress }: OwnOrder,
  { asset }: Asset,
): Inspected | Unreadable {
  const bytes = Buffer.from(transaction, 'base64')
  switch (format) {
    case 'eip1559-rlp': {
      const chainId = BigInt(network.split(':')[1] ?? '0')
      return inspectEvm({ chainId, tokens: new Set([asset]) }, bytes)
    }
    case 'solana-v0': {
      const tokenAccount = (
        owner: Parameters<typeof associatedAccount>[0],
        mint: { address: typeof owner; program: typeof owner },
      ) => associatedAccount(owner, mint.program, mint.address)
      const wallet = parseAddress(recipientAddress)
      return inspectSolana({ facts: { tokenAccount } }, bytes, wallet === undefined ? [] : [wallet])
    }
    default:
      return format satisfies never
  }
}

function problemOf(
  read: Inspected | Unreadable,
  { recipientAddress, amount }: OwnOrder,
  { asset, decimals }: Asset,
): string | undefined {
  if (!read.ok) return read.reason
  const { transfers, others } = read.summary
  const [moved, ...more] = transfers
  if (moved === undefined) return 'it moves nothing of it'
  if (more.length > 0) return 'it makes more than one transfer'
  if (others.length > 0) return `it ${others.join(', ')}`
  // On EVM the case of an address is a checksum only.
  const pays = moved.to.startsWith('0x') ? isSame : (left: string, right: string) => left === right
  if (!pays(moved.to, recipientAddress)) return `it pays ${moved.to}`
  if (moved.asset !== asset) return `it moves ${moved.asset}`
  const wanted = parseAmount(amount, decimals)
  return wanted.ok && wanted.amount === moved.amount ? undefined : 'it moves another amount'
}

/** On EVM the fields are what is signed: they must be those of the bytes that were read. */
function strayFields({ transaction, unsigned }: BuiltTransaction): string | undefined {
  if (unsigned === undefined) return undefined
  const bytes = readWireTransaction(Buffer.from(transaction, 'base64'))
  if (typeof bytes === 'string') return bytes
  const { chainId, nonce, to, value, data, gas, fees } = bytes
  const areSame =
    unsigned.chainId === Number(chainId) &&
    unsigned.nonce === Number(nonce) &&
    unsigned.to === to &&
    unsigned.value === `${value}` &&
    unsigned.data === hexBytes(data) &&
    unsigned.gas === `${gas}` &&
    unsigned.maxFeePerGas === `${fees.maxFeePerGas}` &&
    unsigned.maxPriorityFeePerGas === `${fees.maxPriorityFeePerGas}`
  return areSame ? undefined : 'its fields are not those of its bytes'
}
