import { formatAmount } from '@florin/wire/amount.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import { actorOf } from '../audit/actor-of.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { findWalletOfAddress } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { writeOff } from '../payments/write-off.ts'
import type { Missing } from '../payments/write-off.ts'
import { lanesOf, nameOf, pageOfFrozenLanes } from '../sender/lane-release-store.ts'
import type { LaneStanding } from '../sender/lane-release-store.ts'
import { releaseLane, stopLane } from '../sender/release-lane.ts'
import type { Released } from '../sender/release-lane.ts'
import { page } from './deps.ts'
import type { OperatorDeps } from './deps.ts'

const FAMILIES = ['evm', 'solana'] as const

/** Keys that sign here: those that pay for settlements, and whether each may sign. */
export function operatorLaneRoutes(deps: OperatorDeps): readonly Route[] {
  const { store, settlers, audit } = deps

  /** The chain and the address that a request names, when the installation holds its key. */
  async function demand(named: { readonly network: string; readonly address: string }) {
    const chain = [...deps.directory.all.values()].find(
      ({ config }) => config.network === named.network,
    )
    const address = chain?.parseAddress(named.address)
    if (chain === undefined || address === undefined) throw new Refusal('NOT_FOUND')
    const wallet = await store.inTransaction('service', (tx) =>
      findWalletOfAddress(tx, chain.config.family, address),
    )
    if (wallet === undefined) throw new Refusal('NOT_FOUND')
    return { chain, address, wallet }
  }

  async function laneOf(chain: Chain, address: Address) {
    const lanes = await store.inTransaction('service', (tx) => lanesOf(tx, [address]))
    const lane = lanes.find(({ network }) => network === chain.config.network)
    if (lane === undefined) throw new Error('a lane is gone')
    return laneView(lane)
  }

  return [
    route(endpoints.operatorFacilitatorKeys, async () => {
      const wallets = FAMILIES.flatMap((family) => settlers.of(family))
      const lanes = await store.inTransaction('service', (tx) =>
        lanesOf(
          tx,
          wallets.map(({ address }) => address),
        ),
      )
      return {
        body: { keys: await Promise.all(wallets.map((each) => keyView(deps, each, lanes))) },
      }
    }),

    route(endpoints.operatorFrozenLanes, async ({ query }) => {
      const { rows, nextCursor } = await page(query, nameOf, (wanted) =>
        store.inTransaction('service', (tx) => pageOfFrozenLanes(tx, wanted)),
      )
      return { body: { lanes: rows.map(laneView), nextCursor } }
    }),

    route(endpoints.operatorFreezeLane, async (call) => {
      const { chain, address } = await demand(call.body)
      const { reason } = call.body
      const { network } = chain.config
      await stopLane(
        {
          store,
          chain,
          address,
          noted: (tx) =>
            audit.note(tx, {
              accountId: null,
              actor: actorOf(call),
              action: 'lane.frozen',
              object: address,
              details: { network, reason },
            }),
        },
        reason,
      )
      return { body: await laneOf(chain, address) }
    }),

    route(endpoints.operatorReleaseLane, async (call) => {
      const { chain, address, wallet } = await demand(call.body)
      const { network } = chain.config
      const released = await releaseLane({
        store,
        chain,
        address,
        clock: deps.clock,
        broadcaster: deps.broadcaster,
        signerOf: () => deps.signerFor(wallet, chain.config),
        killPoint: deps.killPoint,
        noted: async (tx, { amounts, before, after, filled }) => {
          const seen = { amounts, nowMilliseconds: deps.clock.nowMilliseconds() }
          const missing = await writeOff(tx, chain, wallet, seen)
          await audit.note(tx, {
            // Whose books are corrected, or whose wallet pays for it, reads it, too.
            accountId: missing.length + filled.length === 0 ? null : wallet.accountId,
            actor: actorOf(call),
            action: 'lane.released',
            object: address,
            details: {
              network,
              nextNonce: { before: before.toString(), after: after.toString() },
              ...(filled.length === 0 ? {} : { filled: filled.map(String) }),
              ...writtenOff(missing),
              ...notRead(unread(chain, amounts)),
            },
          })
        },
      })
      const lane = await laneOf(chain, address)
      const { amounts, filled } = released
      return {
        body: { ...lane, notRead: unread(chain, amounts), filled: filled.map(String) },
      }
    }),
  ]
}

/** What an audit log says of it, by asset, base units; nothing where nothing was missing. */
function writtenOff(missing: readonly Missing[]) {
  const amounts = missing.map(({ asset, amount }) => [asset, amount.toString()] as const)
  return missing.length === 0 ? {} : { writtenOff: Object.fromEntries(amounts) }
}

/** The assets of the network whose balance no node told: of these the books are as they were. */
function unread({ config }: Chain, amounts: Released['amounts']): string[] {
  return config.assets.flatMap(({ asset }, index) => (amounts[index] === undefined ? [asset] : []))
}

/** What an audit log says of them; nothing where all were read. */
function notRead(assets: readonly string[]) {
  return assets.length === 0 ? {} : { notRead: assets }
}

function laneView({ network, address, nextNonce, open, frozenReason }: LaneStanding) {
  return { network, address, nextNonce: nextNonce.toString(), waiting: open, frozen: frozenReason }
}

/** A settling key on every network of its family; a balance that no node tells is null. */
async function keyView(
  { directory }: OperatorDeps,
  { id: walletId, family, address }: Wallet,
  lanes: readonly LaneStanding[],
) {
  const chains = [...directory.all.values()].filter(({ config }) => config.family === family)
  const networks = await Promise.all(
    chains.map(async (chain) => {
      const { network, assets } = chain.config
      const lane = lanes.find((each) => each.network === network && each.address === address)
      const native = assets.find(({ asset }) => asset === 'native')
      const parsed = chain.parseAddress(address)
      const shown =
        native === undefined || parsed === undefined
          ? undefined
          : await chain.balances(parsed, [native]).catch(() => undefined)
      const amount = shown?.amounts[0]
      return {
        network,
        balance:
          amount === undefined || native === undefined
            ? null
            : new RawJson(formatAmount(amount, native.decimals)),
        balanceBaseUnits: amount?.toString() ?? null,
        lane: lane === undefined ? null : laneView(lane),
      }
    }),
  )
  return { walletId, family, address, networks }
}
