import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Address, Arrival } from '../chain.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { indexFrom, integerFrom } from './answer.ts'
import { decodeBase58 } from './base58.ts'
import type { Facts } from './facts.ts'
import { allInstructions, lamportTransfer } from './instructions.ts'
import type { Called } from './instructions.ts'
import { accountsOf } from './outcome.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { holdingsOf, movesOf } from './token-transfers.ts'
import type { Holding, Move } from './token-transfers.ts'
import { unreadArrivals, unreadLamports } from './unread-arrivals.ts'
import { gainedBy } from './untrue-lamports.ts'

/** A transfer as its transaction alone tells it. */
export type Transfer = Pick<Arrival, 'asset' | 'from' | 'to' | 'amount' | 'effectIndex'>

/** What arrives at a token account by one instruction. */
interface Incoming {
  readonly index: number
  readonly program: Address
  readonly account: Address
  readonly from: Address
  readonly declared: bigint
}

/**
 * Every transfer of a configured asset that a transaction which succeeded made, by its own instructions or by programs that these called:
 * lamports by the System program, tokens by a token program into the owner's associated account, which is what a wallet can spend. Tokens there that
 * no known instruction explains came, too, and so did lamports, to wallets that signed nothing. Those to other owners are left out.
 */
export function transfersIn(
  fields: Fields,
  { config, facts }: { config: NetworkConfig; facts: Facts },
  mine: ReadonlySet<Address>,
): readonly Transfer[] {
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  const message = fieldsFrom(fieldsFrom(fields['transaction'], 'transaction')['message'], 'message')
  const accounts = accountsOf(message, meta)
  const called = allInstructions(message, meta, accounts)
  const holdings = holdingsOf(meta, accounts)
  const read = called.map((each) => ({ moves: movesOf(each), mints: minted(each) }))
  const moves = read.flatMap((each) => each.moves)
  const incoming = read.flatMap((each) => [...moved(each.moves, holdings), ...each.mints])
  const lamports = called.flatMap((each) =>
    lamportTransfer(each).map(({ from, to, lamports: amount }) => ({
      asset: 'native',
      from,
      to,
      amount: baseUnits(amount),
      effectIndex: each.index,
    })),
  )
  const header = fieldsFrom(message['header'], "message's header")
  const around = {
    ...{ accounts, holdings, transfers: lamports, gained: gainedBy(meta) },
    signers: indexFrom(header['numRequiredSignatures'], 'signers'),
    fee: integerFrom(meta['fee'], 'fee'),
  }
  const listed = new Set(config.assets.map(({ asset }) => asset))
  const isWanted = ({ owner, mint }: Holding) => mine.has(owner) && listed.has(mint)
  return [
    ...lamports.filter(({ to }) => mine.has(to)),
    ...unreadLamports(around, (account) => mine.has(account)),
    ...tokensIn(moves, incoming, holdings, facts, isWanted),
    ...unreadArrivals(
      { accounts, holdings, explained: explainedBy(moves, incoming) },
      facts,
      isWanted,
    ),
  ].filter(({ amount }) => amount > 0n)
}

/** What known instructions say that each token account has more, or less. */
function explainedBy(
  moves: readonly Move[],
  incoming: readonly Incoming[],
): ReadonlyMap<Address, bigint> {
  const explained = new Map<Address, bigint>()
  const add = (account: Address, more: bigint) =>
    explained.set(account, (explained.get(account) ?? 0n) + more)
  for (const { account, declared } of incoming) add(account, declared)
  for (const { from, declared } of moves) add(from, -declared)
  return explained
}

function tokensIn(
  moves: readonly Move[],
  incoming: readonly Incoming[],
  holdings: ReadonlyMap<Address, Holding>,
  facts: Facts,
  isWanted: (holding: Holding) => boolean,
): readonly Transfer[] {
  const byAccount = Map.groupBy(incoming, ({ account }) => account)
  return [...byAccount].flatMap(([account, into]) => {
    const holding = holdings.get(account)
    if (holding === undefined || !isWanted(holding)) return []
    const { mint, owner } = holding
    const own = into.filter(
      ({ program }) => facts.tokenAccount(owner, { address: mint, program }).address === account,
    )
    const amounts = shares(own, arrivedAt(account, holding, moves))
    return own.map(({ from, index }, place) => ({
      asset: mint,
      from,
      to: owner,
      amount: baseUnits(amounts[place] ?? 0n),
      effectIndex: index,
    }))
  })
}

/** A mint may keep a part of each transfer: then each is what it said less its share of what is missing, and all are what arrived. */
function shares(incoming: readonly Incoming[], arrived: bigint): readonly bigint[] {
  const total = incoming.reduce((sum, { declared }) => sum + declared, 0n)
  if (arrived >= total) return incoming.map(({ declared }) => declared)
  let said = 0n
  return incoming.map(({ declared }) => {
    const before = (arrived * said) / total
    said += declared
    return (arrived * said) / total - before
  })
}

/** What an account has more than before, and what went out of it meanwhile. */
function arrivedAt(account: Address, { before, after }: Holding, moves: readonly Move[]) {
  const gone = moves
    .filter(({ from }) => from === account)
    .reduce((sum, { declared }) => sum + declared, 0n)
  const arrived = after - before + gone
  return arrived > 0n ? arrived : 0n
}

function moved(
  moves: readonly Move[],
  holdings: ReadonlyMap<Address, Holding>,
): readonly Incoming[] {
  return moves.flatMap(({ index, program, from, to, declared }) => {
    const source = holdings.get(from)
    return source ? [{ index, program, account: to, from: source.owner, declared }] : []
  })
}

/** `MintTo` and `MintToChecked`: tag, amount, and with the second the decimals. Source: spl-token-2022, `TokenInstruction`. */
const MINTS = [
  { tag: 7, bytes: 9 },
  { tag: 14, bytes: 10 },
]
const AMOUNT_AT = 1

/** Tokens made from nothing, by whoever may make them. */
function minted({ index, program, accounts, data }: Called): readonly Incoming[] {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return []
  const [, account, authority] = accounts
  if (account === undefined || authority === undefined) return []
  return MINTS.flatMap(({ tag, bytes: length }) => {
    const bytes = decodeBase58(data, length)
    if (bytes?.[0] !== tag) return []
    const declared = Buffer.from(bytes).readBigUInt64LE(AMOUNT_AT)
    return [{ index, program, account, from: authority, declared }]
  })
}
