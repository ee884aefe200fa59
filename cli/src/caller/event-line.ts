import type { AccountEvent } from '@florin/sdk'
import { momentText } from '../keys/key-view.ts'
import type { AssetNames } from './asset-names.ts'
import { visible } from './visible.ts'

const FACTS = ['paymentId', 'webhookId', 'type', 'valid', 'status', 'amount', 'asset', 'reason']

/** Time, number, what it tells of and how that stands, and the event's own id, which is the next --after. */
export function eventLine(
  { timestamp, sequence, type, data, id }: AccountEvent,
  names: AssetNames,
): string {
  const facts = FACTS.flatMap((name) => {
    const [value, { network }] = [data[name], data]
    if (typeof value === 'boolean') return [`${value}`]
    if (typeof value !== 'string') return []
    return [name === 'asset' && typeof network === 'string' ? names(network, value) : value]
  })
  return [momentText(timestamp), `#${sequence}`, type, ...facts, id].map(visible).join('  ')
}

/** Whether the names of assets are needed for its line. */
export function namesAsset({ data }: AccountEvent): boolean {
  return typeof data['asset'] === 'string'
}
