import { systemRandom } from '@florin/server/kernel/random.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { giveFirstLink } from '@florin/server/people/give-link.ts'
import type { Store } from '@florin/server/store/postgres.ts'

/** What a first start says to whoever watches it, and to no log: undefined once somebody runs the installation. */
export async function firstLinkText(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  baseUrl: string,
): Promise<string | undefined> {
  try {
    const link = await giveFirstLink({ store, clock, random: systemRandom }, baseUrl)
    if (link === undefined) return undefined
    return [
      `Nobody runs this installation yet. This link makes you its operator, once, within ${limits.operatorLinkSeconds / 60} minutes:`,
      link.reveal(),
      'A new one: florin operator-link',
      '',
    ].join('\n')
  } catch (error) {
    log.warn({ reason: error }, 'no link for a first operator was made')
    return undefined
  }
}
