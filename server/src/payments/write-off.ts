import type { Chain } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { correction } from '../ledger/entry.ts'
import { lockBalances, record } from '../ledger/store.ts'
import { areFillingsOpen } from '../sender/gap-filling-store.ts'
import type { Tx } from '../store/postgres.ts'

/** What a wallet has less of on chain than in its books. */
export interface Missing {
  readonly asset: string
  /** Base units. */
  readonly amount: bigint
}

/**
 * Takes out of a wallet's books what its chain does not show, and says what that was: somebody else has moved it with the same key, or a backup
 * does not know that it was paid. In the transaction that lets the key sign again, under its lane's lock. Nothing while a payment of the
 * wallet is under way, or what fills a nonce of it, since its balance tells nothing then. Whoever calls it has asked a
 * node that knows all that the books know. Where it took too much all the same, what is more on chain than in the books is found by the next payment.
 */
export async function writeOff(
  tx: Tx,
  { config }: Pick<Chain, 'config'>,
  { id: walletId, accountId, address }: Pick<Wallet, 'id' | 'accountId' | 'address'>,
  {
    amounts,
    nowMilliseconds,
  }: {
    /** Of the wallet on chain, in the order of the network's assets; undefined: not known, and its books stay as they are. */
    readonly amounts: readonly (bigint | undefined)[]
    readonly nowMilliseconds: number
  },
): Promise<readonly Missing[]> {
  const place = { accountId, walletId, network: config.network }
  // What is the native currency under another name has no books of its own, and is not missing twice.
  const own = config.assets.flatMap(({ asset, isCurrency }, index) =>
    isCurrency === true ? [] : [{ asset, onChain: amounts[index] }],
  )
  const assets = own.map(({ asset }) => asset)
  const books = await lockBalances(tx, { ...place, assets })
  if ([...books.values()].some(({ held }) => held > 0n)) return []
  if (await areFillingsOpen(tx, config.network, address)) return []
  const missing = own.flatMap(({ asset, onChain }): Missing[] => {
    const booked = books.get(asset)?.available ?? 0n
    return onChain === undefined || onChain >= booked ? [] : [{ asset, amount: booked - onChain }]
  })
  await record(
    tx,
    missing.map(({ asset, amount }) => correction({ ...place, asset }, amount)),
    nowMilliseconds,
  )
  return missing
}
