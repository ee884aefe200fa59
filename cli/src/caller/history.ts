import type { ListedPayment } from '@florin/sdk'
import type { Run } from '../command.ts'
import { momentText } from '../keys/key-view.ts'
import { readArguments } from '../read-arguments.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage-error.ts'
import { readAssetNames } from './asset-names.ts'
import { EXIT } from './exit-code.ts'
import { wholeFrom } from './seconds.ts'
import { shortened, visible } from './visible.ts'
import { withClient } from './with-client.ts'

const TYPES = ['sent', 'received', 'all'] as const
const LIMIT = { unlessGiven: 20, most: 100_000 }
const PAGE_MAX = 500

/** `florin history`: what an address sent and received, newest first. */
export const runHistory: Run = async (context) => {
  const given = readArguments(context.args, {
    flags: ['type', 'limit'],
    switches: ['json'],
    positionals: ['ADDRESS'],
  })
  const [address = ''] = given.positionals
  const type = TYPES.find((known) => known === (given.flag('type') ?? 'all'))
  if (type === undefined) throw new UsageError(`--type must be one of ${TYPES.join(', ')}`)
  const limit = wholeFrom('limit', given.flag('limit'), LIMIT)
  const json = given.has('json')
  return await withClient(context, json, async (florin, signal) => {
    const payments: ListedPayment[] = []
    // One more than is shown tells whether there is more.
    const page = Math.min(limit + 1, PAGE_MAX)
    for await (const payment of florin.payments.history(
      address,
      { type, limit: page },
      { signal },
    )) {
      if (payments.push(payment) > limit) break
    }
    const hasMore = payments.length > limit
    const shown = payments.slice(0, limit)
    if (json) {
      context.print(`${JSON.stringify({ payments: shown, hasMore })}\n`)
      return EXIT.done
    }
    if (shown.length === 0) {
      context.note('This account has no payments with that address.\n')
      return EXIT.done
    }
    const names = await readAssetNames(florin, signal)
    const rows = shown.map((each) => [
      momentText(each.createdAt),
      each.type,
      each.amount,
      visible(names(each.network, each.asset)),
      each.status,
      shortened(each.type === 'sent' ? each.recipient : each.sender),
      each.paymentId,
    ])
    context.print(table([['UTC', 'TYPE', 'AMOUNT', 'ASSET', 'STATUS', 'WITH', 'PAYMENT'], ...rows]))
    if (hasMore) context.note(`There is more: --limit ${limit * 2}\n`)
    return EXIT.done
  })
}
