import type { Florin, Wallet } from '@florin/sdk'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { table } from '../table.ts'
import { EXIT } from './exit-code.ts'
import { visible } from './visible.ts'
import { withClient } from './with-client.ts'

/** Each costs a request of the plan's limit. */
const BALANCES_MAX = 25
const AT_ONCE = 5

/** A wallet with its balances. */
export type Detail = Awaited<ReturnType<Florin['wallets']['get']>>

/** `florin wallets`: the wallets that the key can pay from, with what they can spend. */
export const runWallets: Run = async (context) => {
  const json = readArguments(context.args, { switches: ['json'] }).has('json')
  return await withClient(context, json, async (florin, signal) => {
    const wallets = await florin.wallets.list({ signal })
    if (json) {
      context.print(`${JSON.stringify({ wallets })}\n`)
      return EXIT.done
    }
    const read = await readBalances(florin, wallets, signal)
    const details: (Detail | Wallet)[] = [...read, ...wallets.slice(read.length)]
    const rows = details.map((wallet) => [
      wallet.address,
      wallet.family,
      visible(wallet.label ?? ''),
      'balances' in wallet ? balancesText(wallet) : '',
    ])
    context.print(table([['ADDRESS', 'FAMILY', 'LABEL', 'AVAILABLE'], ...rows]))
    if (wallets.length > BALANCES_MAX) {
      context.note(`Balances are shown for the oldest ${BALANCES_MAX} wallets only.\n`)
    }
    return EXIT.done
  })
}

/** The oldest BALANCES_MAX wallets with what they can spend, a few requests at a time. */
export async function readBalances(
  florin: Florin,
  wallets: readonly Wallet[],
  signal: AbortSignal,
): Promise<readonly Detail[]> {
  const details: Detail[] = []
  for (let from = 0; from < Math.min(wallets.length, BALANCES_MAX); from += AT_ONCE) {
    const some = wallets.slice(from, Math.min(from + AT_ONCE, BALANCES_MAX))
    const read = (wallet: Wallet) => florin.wallets.get(wallet.address, { signal })
    details.push(...(await Promise.all(some.map(read))))
  }
  return details
}

/** What a wallet can spend of each asset; of one whose balance nobody could read, that nobody knows. */
export function balancesText({
  balances,
  unread = [],
}: Pick<Detail, 'balances' | 'unread'>): string {
  const known = balances.map(({ available, ...asset }) => ({ ...asset, text: available }))
  const all = [...known, ...unread.map((asset) => ({ ...asset, text: 'unknown' }))]
  const hasOne = new Set(all.map(({ network }) => network)).size === 1
  return all
    .map(({ text, symbol, network }) => {
      return `${text} ${visible(symbol)}${hasOne ? '' : ` on ${network}`}`
    })
    .join(', ')
}
