import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { SettlementDraft } from '../chains/exact.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { frozenLanes } from '../sender/lane-store.ts'
import type { Store } from '../store/postgres.ts'
import type { Settlers } from './settlers.ts'

/** What is known of a key's money is at most this old. */
const LOOK_MILLISECONDS = 15_000
/** A key that cannot pay for this many plain transfers is low: it should be filled up before it is empty. */
const TRANSFERS_MIN = 20n

/** Native base units. */
export interface SeenFunds {
  readonly amount: bigint
  readonly atMilliseconds: number
}

/** Which settling keys can still pay. Sellers read `/supported` once, so a network goes before its last key is empty. */
export interface SettlerFunds {
  /** Whether a key should not be asked to sign now: it has too little, or it is stopped. */
  isLow(network: NetworkId, address: Address): boolean
  /** What a key had when it was last looked at; undefined before. */
  seen(network: NetworkId, address: Address): SeenFunds | undefined
  /** Whether any key of the network's family can pay there. */
  canPay(chain: Chain): boolean
  /** What a draft has just shown of its settler. False when it cannot hold the ceiling. */
  note(network: NetworkId, address: Address, draft: SettlementDraft): boolean
  /** Leaves a key out until the next look: it has signed nothing for a reason of its own. */
  setAside(network: NetworkId, address: Address): void
  /** Looks at every key now. */
  look(): Promise<void>
  stop(): Promise<void>
}

export function openSettlerFunds({
  chains,
  settlers,
  clock,
  log,
  store,
}: {
  readonly chains: readonly Chain[]
  readonly settlers: Pick<Settlers, 'of'>
  readonly clock: Clock
  readonly log: Log
  readonly store: Store
}): SettlerFunds {
  const low = new Set<string>()
  /** One entry per key and network, whose number is that of the configuration. */
  const seen = new Map<string, SeenFunds>()
  /** Not for want of money, or not for longer than until the next look. */
  const aside = new Set<string>()
  const stopping = new AbortController()
  const keyOf = (network: NetworkId, address: Address) => `${network} ${address}`

  function mark(network: NetworkId, address: Address, isLow: boolean): void {
    const key = keyOf(network, address)
    if (isLow === low.has(key)) return
    if (!isLow) {
      low.delete(key)
      return
    }
    low.add(key)
    log.warn({ network, address }, 'a settling key is low on native currency')
  }

  async function lookAt(chain: Chain): Promise<void> {
    const { network, family, assets } = chain.config
    const native = assets.filter(({ asset }) => asset === 'native')
    const own = settlers.of(family).map(({ address }) => address)
    const stopped = await store.inTransaction('service', (tx) => frozenLanes(tx, network, own))
    for (const address of own) {
      if (stopped.has(address)) aside.add(keyOf(network, address))
      else aside.delete(keyOf(network, address))
    }
    const { transfer } = await chain.estimateFees()
    for (const address of own) {
      const { amounts } = await chain.balances(address, native)
      const amount = amounts[0] ?? 0n
      seen.set(keyOf(network, address), { amount, atMilliseconds: clock.nowMilliseconds() })
      mark(network, address, amount < transfer * TRANSFERS_MIN)
    }
  }

  async function look(): Promise<void> {
    for (const chain of chains) {
      if (chain.exact === undefined) continue
      try {
        await lookAt(chain)
      } catch (error) {
        // Nothing was learnt: what was known stays, and health says that the node is away.
        log.debug({ network: chain.config.network, err: error }, 'settling keys were not looked at')
      }
    }
  }

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look()
      await clock.sleep(LOOK_MILLISECONDS, stopping.signal)
    }
  }
  const ended = keepLooking()
  const isOut = (network: NetworkId, address: Address) =>
    low.has(keyOf(network, address)) || aside.has(keyOf(network, address))

  return {
    isLow: isOut,
    seen: (network, address) => seen.get(keyOf(network, address)),
    canPay: ({ config: { network, family } }) =>
      settlers.of(family).some(({ address }) => !isOut(network, address)),
    note: (network, address, { settlerBalance, feeCeiling }) => {
      const isEnough = settlerBalance >= feeCeiling
      if (!isEnough) mark(network, address, true)
      return isEnough
    },
    setAside: (network, address) => {
      aside.add(keyOf(network, address))
    },
    look,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
