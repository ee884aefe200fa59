import type { Clock } from '../../../kernel/clock.ts'
import type { PrepareDeps } from '../prepare.ts'
import type { NewestHeight } from './newest-height.ts'

/** What markets need of their connection. */
export interface MarketDeps extends Pick<
  PrepareDeps,
  'transport' | 'config' | 'chainId' | 'facts' | 'tokens' | 'explain'
> {
  readonly clock: Clock
  readonly newest: NewestHeight
}
