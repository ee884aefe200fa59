import type { Address, Block, TransactionHash } from '../../chain.ts'
import { fieldsFrom, listFrom } from '../../json-rpc/answer.ts'
import type { Fields } from '../../json-rpc/answer.ts'
import type { Read, Transport } from '../../json-rpc/transport.ts'
import type { MarketFact } from '../../market.ts'
import { openPieces } from '../../pieces.ts'
import { addressFrom, amountFrom, indexFrom, integerFrom, transactionHashFrom } from '../answer.ts'
import { readBlockAccounts } from '../block-accounts.ts'
import { TRANSACTIONS_PER_READ_MAX } from '../block-one-by-one.ts'
import type { Records } from '../block-one-by-one.ts'
import { BLOCKS_AT_ONCE, ofEachBlock } from '../block-requests.ts'
import { lamportTransfer, topLevelInstructions } from '../instructions.ts'
import { accountsOf, outcomeOptions } from '../outcome.ts'
import { tokenTransfers } from '../token-transfers.ts'

interface Deps {
  readonly transport: Transport
  readonly makers: ReadonlySet<Address>
}

interface Signed {
  readonly hash: TransactionHash
  readonly block: Block
  readonly maker: Address
}

const keptSigned = openPieces<Records<Signed>>()

/**
 * What makers did in these blocks: a maker signs every trade of its own, so only transactions with its signature are read whole. Undefined
 * when one of the blocks is not the chain's any more.
 */
export async function readMarket(
  { transport, makers }: Deps,
  blocks: readonly Block[],
): Promise<readonly MarketFact[] | undefined> {
  const filled = blocks.filter(({ transactionHashes }) => transactionHashes.length > 0)
  const facts: MarketFact[] = []
  for (let from = 0; from < filled.length; from += BLOCKS_AT_ONCE) {
    const part = filled.slice(from, from + BLOCKS_AT_ONCE)
    const read = await ofEachBlock(part, (block) =>
      readBlockAccounts(transport, block, (each) => signedFrom(each, block, makers), keptSigned),
    )
    if (read.includes(undefined)) return undefined
    const signed = read.flatMap((each) => each ?? [])
    for (let start = 0; start < signed.length; start += TRANSACTIONS_PER_READ_MAX) {
      const few = signed.slice(start, start + TRANSACTIONS_PER_READ_MAX)
      const found = await Promise.all(few.map((each) => transport.read(factsRead(each))))
      if (found.includes(undefined)) return undefined
      facts.push(...found.flatMap((each) => each ?? []))
    }
  }
  return facts
}

function signedFrom(fields: Fields, block: Block, makers: ReadonlySet<Address>): readonly Signed[] {
  if (fieldsFrom(fields['meta'], "transaction's meta")['err'] !== null) return []
  const transaction = fieldsFrom(fields['transaction'], 'transaction')
  const maker = listFrom(transaction['accountKeys'], 'account keys')
    .map((key) => fieldsFrom(key, 'account key'))
    .filter(({ signer }) => signer === true)
    .map(({ pubkey }) => addressFrom(pubkey, 'account key'))
    .find((address) => makers.has(address))
  if (maker === undefined) return []
  const [signature] = listFrom(transaction['signatures'], 'signatures')
  return [{ hash: transactionHashFrom(signature, 'signature'), block, maker }]
}

/** Undefined when the transaction is not where the block had it. */
function factsRead(signed: Signed): Read<readonly MarketFact[] | undefined> {
  return {
    method: 'getTransaction',
    params: [signed.hash, outcomeOptions],
    parse: (result) => {
      if (result === null) return undefined
      const fields = fieldsFrom(result, 'transaction')
      if (integerFrom(fields['slot'], 'slot') !== signed.block.height) return undefined
      return factsIn(fields, signed)
    },
  }
}

function factsIn(fields: Fields, { hash, block, maker }: Signed): readonly MarketFact[] {
  const meta = fieldsFrom(fields['meta'], "transaction's meta")
  const message = fieldsFrom(fieldsFrom(fields['transaction'], 'transaction')['message'], 'message')
  const accounts = accountsOf(message, meta)
  const called = topLevelInstructions(message, accounts)
  const [payer = maker] = accounts
  const place = {
    venue: 'rfq',
    transactionHash: hash,
    height: block.height,
    blockHash: block.hash,
    timeMilliseconds: block.timeMilliseconds,
    market: maker,
  } as const
  const opened = newAccounts(meta, maker).map(({ index, mint }): MarketFact => {
    const account = accounts[index]
    const by = called.find((each) => account !== undefined && each.accounts.includes(account))
    return { ...place, kind: 'opened', mint, creator: payer, effectIndex: by?.index ?? 0 }
  })
  const lamports = called.flatMap(lamportTransfer)
  const tokens = tokenTransfers(meta, accounts, called)
  const [paid, moved] = [lamports[0], tokens[0]]
  if (paid === undefined || moved === undefined || lamports.length > 1 || tokens.length > 1) {
    return opened
  }
  const isBuy = paid.from === payer && paid.to === maker
  const isSale = paid.from === maker && paid.to === payer
  const isBack = isBuy
    ? moved.from === maker && moved.to === payer
    : moved.from === payer && moved.to === maker
  if (payer === maker || !(isBuy || isSale) || !isBack) return opened
  const mint = addressFrom(moved.asset, 'mint')
  return [
    ...opened,
    {
      ...place,
      kind: 'trade',
      side: isBuy ? 'buy' : 'sell',
      mint,
      trader: payer,
      nativeAmount: paid.lamports,
      tokenAmount: moved.amount,
      effectIndex: moved.logIndex,
    },
  ]
}

/** Token accounts that a maker has since this transaction, with something in them: from here on it can trade the token. */
function newAccounts(
  meta: Fields,
  maker: Address,
): readonly { readonly index: number; readonly mint: Address }[] {
  const entries = (list: string) =>
    listFrom(meta[list] ?? [], list).map((each) => fieldsFrom(each, list))
  const before = new Set(
    entries('preTokenBalances').map(({ accountIndex }) => indexFrom(accountIndex, 'index')),
  )
  return entries('postTokenBalances').flatMap(({ accountIndex, mint, owner, uiTokenAmount }) => {
    const index = indexFrom(accountIndex, 'index')
    const amount = amountFrom(fieldsFrom(uiTokenAmount, 'amount')['amount'], 'amount')
    const isNew = owner === maker && !before.has(index) && amount > 0n
    return isNew ? [{ index, mint: addressFrom(mint, 'mint') }] : []
  })
}
