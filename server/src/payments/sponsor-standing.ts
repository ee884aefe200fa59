import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain } from '../chains/chain.ts'
import { findAnyWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { networkStanding } from '../sender/follower-store.ts'
import { frozenLanes } from '../sender/lane-store.ts'
import type { Store } from '../store/postgres.ts'

/** The wallet that a network names for approvals, or why it signs nothing until somebody has looked at it. */
export type Sponsor = { readonly wallet: Wallet } | { readonly why: string }

/** Undefined where the network names none. */
export async function findSponsor(
  store: Store,
  { config }: Pick<Chain, 'config'>,
): Promise<Sponsor | undefined> {
  const { network, family, approvalSponsoring } = config
  if (approvalSponsoring === undefined) return undefined
  return store.inTransaction('service', async (tx) => {
    const known = await findAnyWallet(tx, family, approvalSponsoring.wallet)
    // One that was deleted signs nothing more.
    if (known === undefined || known.isDeleted) return { why: 'it is no wallet of this service' }
    const isFrozen = (await frozenLanes(tx, network, [known.wallet.address])).size > 0
    const isFollowed = (await networkStanding(tx, network)) === 'followed'
    if (isFrozen || !isFollowed) return { why: 'it is stopped, or its network is' }
    return { wallet: known.wallet }
  })
}

interface Standing {
  readonly isAble: boolean
  readonly atMilliseconds: number
}

/**
 * Whether a network's wallet could give what one approval may take (`amountMax`), as of the last limits.sponsorStandingSeconds, where it could not of the
 * last limits.sponsorAbsentSeconds: what is announced can be carried out, and comes back by itself. Looks only when somebody asks, once for all who do, and lets nobody wait longer than
 * limits.sponsorStandingWaitMilliseconds; who does not learn it by then hears what was known, and at first a no. Never throws.
 */
export function openSponsorStanding({
  store,
  clock,
  log,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}): (chain: Chain) => Promise<boolean> {
  const known = new Map<NetworkId, Standing>()
  const looking = new Map<NetworkId, Promise<void>>()

  async function whatIsWrong(chain: Chain): Promise<string | undefined> {
    const sponsor = await findSponsor(store, chain)
    const { approvalSponsoring } = chain.config
    if (sponsor === undefined || approvalSponsoring === undefined) return 'none is named'
    if ('why' in sponsor) return sponsor.why
    const { amounts } = await chain.balances(sponsor.wallet.address, [nativeOf(chain.config)])
    const isEnough = (amounts[0] ?? 0n) >= approvalSponsoring.amountMax
    return isEnough ? undefined : 'it has less than one approval may take'
  }

  async function look(chain: Chain): Promise<void> {
    const { network } = chain.config
    const before = known.get(network)?.isAble
    try {
      const why = await whatIsWrong(chain)
      const isAble = why === undefined
      known.set(network, { isAble, atMilliseconds: clock.nowMilliseconds() })
      if (!isAble && before !== false) {
        log.warn({ network, reason: why }, 'approvals are not announced: their sponsor cannot give')
      }
    } catch (error) {
      // Nothing was learnt: what was known stays, and is asked for again after its time.
      known.set(network, { isAble: before === true, atMilliseconds: clock.nowMilliseconds() })
      log.debug({ network, err: error }, 'the wallet that sponsors approvals was not looked at')
    } finally {
      looking.delete(network)
    }
  }

  return async (chain) => {
    const { network, approvalSponsoring } = chain.config
    if (approvalSponsoring === undefined) return false
    const standing = known.get(network)
    const isAble = standing?.isAble === true
    // A no is asked about sooner: it may be of a service that has just started, and somebody is filling the wallet up.
    const lifetimeMilliseconds =
      1_000 * (isAble ? limits.sponsorStandingSeconds : limits.sponsorAbsentSeconds)
    const age = standing && Math.abs(clock.nowMilliseconds() - standing.atMilliseconds)
    if (age === undefined || age >= lifetimeMilliseconds) {
      const asked = looking.get(network) ?? look(chain)
      looking.set(network, asked)
      const over = new AbortController()
      await Promise.race([asked, clock.sleep(limits.sponsorStandingWaitMilliseconds, over.signal)])
      over.abort()
    }
    return known.get(network)?.isAble === true
  }
}
