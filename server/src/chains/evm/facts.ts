import type { Clock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { remember } from '../json-rpc/remember.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { latestBlockRead, suggestedTipRead } from './fees.ts'

type ValueOf<Asked> = Asked extends Read<infer Value> ? Value : never

/** What builds for wallets of others share, at most `limits.buildFactsMilliseconds` old. */
export interface Facts {
  latest(): Promise<ValueOf<typeof latestBlockRead>>
  suggestedTip(): Promise<bigint>
}

export function openFacts({ transport, clock }: { transport: Transport; clock: Clock }): Facts {
  const seconds = limits.buildFactsMilliseconds / 1000
  const latest = remember({ clock, seconds, entriesMax: 1 }, () => transport.read(latestBlockRead))
  const tip = remember({ clock, seconds, entriesMax: 1 }, () => transport.read(suggestedTipRead))
  return { latest: () => latest('latest'), suggestedTip: () => tip('suggested') }
}
