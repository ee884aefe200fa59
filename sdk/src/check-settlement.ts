import type { Asked } from './asked.ts'
import { buildDiffers } from './build-differs.ts'
import { feeMaxOf, idOf } from './check-build.ts'
import type { Checked, CheckOptions, Networks } from './check-build.ts'
import { evmFields } from './check-evm.ts'
import {
  checkAmount,
  checkFee,
  isKey,
  isOf,
  isSame,
  numberAt,
  other,
  PROGRAMS,
  solanaBytesOf,
  tokenAccount,
  TRANSFER_CHECKED,
} from './check-solana.ts'
import type { BuildTransactionAnswer } from './contract/build-transaction.ts'
import type { ReceiveTransactionBody } from './contract/receive-transaction.ts'
import type { EvmTransaction } from './own-wallet.ts'
import type { SolanaBytes } from './read-solana.ts'

/** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32), and the zeros before an address. */
const CALL = /^0xe3ee160e0{24}([0-9a-f]{40})0{24}([0-9a-f]{40})([0-9a-f]{64})[0-9a-f]{384}$/
/** Wallets of buyers add its assertions; it moves nothing. */
const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'
/** The buyer and the seller. */
const SIGNERS = 2

type Listed = Networks[number]['assets'][number]

/**
 * Holds a settlement that a service built against what its seller expects: the expected amount of a listed token, from somebody else, to
 * the seller's own wallet, a bounded fee, and nothing else that the wallet's signature could be used for.
 * @throws {FlorinError} BUILD_DIFFERS, or INVALID_SETTING for an unusable `maxFee`.
 */
export async function checkSettlement(
  build: BuildTransactionAnswer,
  offer: ReceiveTransactionBody,
  networks: () => Promise<Networks>,
  options: CheckOptions = {},
): Promise<Checked> {
  const { network, format } = build
  const wanted = offer.network === undefined ? network : idOf(offer.network)
  if (network !== wanted) throw buildDiffers('network', wanted, network)
  const family = format === 'solana-v0' ? 'solana' : 'evm'
  if (!network.startsWith(family === 'evm' ? 'eip155:' : 'solana:')) {
    throw buildDiffers('format', `one of ${network}`, format)
  }
  const fee = feeMaxOf(offer, family, family === 'evm' ? 18 : 9, options)
  const listed = (await networks()).find((each) => each.network === network)?.assets ?? []
  const { asset } = offer
  const tokens = listed.filter((each) => each.asset !== 'native' && isNamed(each, asset))
  return family === 'evm'
    ? { family, transaction: checkCall(build, offer, tokens, fee) }
    : { family, bytes: await checkCosigned(build, offer, tokens, fee) }
}

function isNamed({ asset, symbol }: Listed, name: string | undefined): boolean {
  const isIt = (text: string) => text.toLowerCase() === name?.toLowerCase()
  return name === undefined || isIt(asset) || isIt(symbol)
}

type Fee = Pick<Asked, 'feeMax' | 'feeMaxText'>

function checkCall(
  build: BuildTransactionAnswer,
  { walletAddress, expectedAmount, asset = 'a listed token' }: ReceiveTransactionBody,
  tokens: readonly Listed[],
  fee: Fee,
): EvmTransaction {
  const read = evmFields(build, fee)
  const token = tokens.find((each) => each.asset.toLowerCase() === read.to)
  if (token === undefined) throw buildDiffers('asset', asset, read.to)
  if (read.value !== 0n) throw buildDiffers('native value', '0', `${read.value}`)
  const [, from = '', to = '', amount = ''] = CALL.exec(read.data) ?? []
  if (amount === '') throw buildDiffers('call', 'one by authorization', read.data.slice(0, 10))
  const own = walletAddress.toLowerCase()
  if (`0x${to}` !== own) throw buildDiffers('recipient', walletAddress, `0x${to}`)
  if (`0x${from}` === own) throw buildDiffers('payer', 'somebody else', walletAddress)
  checkAmount(expectedAmount, token.decimals, BigInt(`0x${amount}`))
  return read
}

/** The wallet signs as whoever pays the fee; it must stand in no instruction, whatever that does. */
async function checkCosigned(
  build: BuildTransactionAnswer,
  { walletAddress, expectedAmount, asset = 'a listed token' }: ReceiveTransactionBody,
  tokens: readonly Listed[],
  fee: Fee,
): Promise<SolanaBytes> {
  const read = solanaBytesOf(build.transaction, SIGNERS)
  if (read === undefined) {
    throw buildDiffers('transaction', 'one of version 0 with two signers', 'none that can be read')
  }
  if (!isKey(read.payer, walletAddress)) throw other('fee payer', walletAddress)
  const rest = [...read.instructions]
  const named = rest.flatMap(({ program, accounts }) => [program, ...accounts])
  if (named.some((key) => isSame(key, read.payer))) {
    throw other('part of your wallet', 'that it pays the fee, and nothing else')
  }
  checkFee(rest, fee, BigInt(SIGNERS))
  const move = rest.shift()
  const program = isOf(move, 'token2022', TRANSFER_CHECKED) ? 'token2022' : 'token'
  if (!isOf(move, program, TRANSFER_CHECKED) || move.data.length !== 10) {
    throw other('transfer', 'a checked transfer of the token')
  }
  const [, mint, to] = move.accounts
  const token = tokens.find((each) => isKey(mint, each.asset))
  if (token === undefined || move.accounts.length !== 4) throw other('asset', asset)
  if (!isSame(to, await tokenAccount(walletAddress, program, token.asset))) {
    throw other('recipient', `the token account of ${walletAddress}`)
  }
  checkAmount(expectedAmount, move.data[9] ?? 0, numberAt(move.data, 1, 8))
  const isHarmless = (key: Uint8Array) => isKey(key, PROGRAMS.memo) || isKey(key, LIGHTHOUSE)
  if (!rest.every((each) => isHarmless(each.program))) {
    throw buildDiffers('list of instructions', 'one payment', 'longer')
  }
  return read
}
