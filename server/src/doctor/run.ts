import type { Chain } from '../chains/chain.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/postgres.ts'
import { whatSponsorLacks } from './approval-sponsor.ts'
import type { Finding } from './books-store.ts'
import { findInBooks } from './books-store.ts'
import { findOnChain } from './chain.ts'
import { whatIsWrongWithClock } from './clock.ts'
import type { LookAt } from './look-at.ts'
import { findToLookAt } from './look-at.ts'
import { whyNotReadOn } from './unread-blocks.ts'

export interface Diagnosis {
  /** What must never be so and is. Empty is sound. */
  readonly findings: readonly Finding[]
  /** Networks whose chain could not be asked, or not for all, or is not read on, and why: nothing is known of that, good or bad. */
  readonly unasked: readonly string[]
  /** What a network's configuration lets and its nodes or wallets do not make possible, and why; the books are as sound as without it. */
  readonly notTaken: readonly string[]
  /** Networks whose blocks say that this machine's clock is off, by how much, and what to do. */
  readonly clocks: readonly string[]
  /** What breaks no invariant, but stays as it is until a person has looked. */
  readonly lookAt: readonly LookAt[]
}

/** The one invariant checker: runs after every whole-service test, and as `florin doctor` in production. Changes nothing. */
export async function diagnose({
  store,
  chains,
  clock,
}: {
  store: Store
  chains: readonly Chain[]
  clock: Clock
}): Promise<Diagnosis> {
  const findings = [...(await store.inTransaction('service', findInBooks))]
  const unasked: string[] = []
  const notTaken: string[] = []
  const clocks: string[] = []
  for (const chain of chains) {
    try {
      const onChain = await findOnChain(store, chain)
      findings.push(...onChain.findings)
      unasked.push(...onChain.unasked.map((reason) => `${chain.config.network}: ${reason}`))
      const notRead = await whyNotReadOn(store, chain, clock)
      if (notRead !== undefined) unasked.push(`${chain.config.network}: ${notRead}`)
      const missing = await chain.exact?.smartWallets?.whatIsMissing()
      if (missing !== undefined) {
        notTaken.push(`payments of smart wallets on ${chain.config.network}: ${missing}`)
      }
      const without = await chain.batch?.whatIsMissing()
      if (without !== undefined) {
        notTaken.push(`batch-settlement on ${chain.config.network}: ${without}`)
      }
      const lacking = await whatSponsorLacks(store, chain)
      if (lacking !== undefined) {
        notTaken.push(`approvals that are sponsored on ${chain.config.network}: ${lacking}`)
      }
      const wrong = await whatIsWrongWithClock(chain, clock)
      if (wrong !== undefined) clocks.push(wrong)
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      unasked.push(`${chain.config.network}: ${error.message}`)
    }
  }
  return { findings, unasked, notTaken, clocks, lookAt: await findToLookAt(store, clock) }
}
