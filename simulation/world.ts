import { createHash } from 'node:crypto'
import type { Address } from '@florin/server/chains/chain.ts'
import type { Caller } from '@florin/server/kernel/caller.ts'
import { newId } from '@florin/server/kernel/id.ts'
import { openChainPort } from './chain/chain-port.ts'
import { openModelNetwork } from './chain/model-network.ts'
import type { ModelNetwork } from './chain/model-network.ts'
import { balanceKey } from './chain/block-tree.ts'
import { feeRules, lifetimeRules } from './chain/rules.ts'
import type { Dice } from './dice.ts'
import type { Instance } from './instance.ts'
import { openInstance } from './instance.ts'
import { BUYERS, networkOf, RECIPIENTS, SETTLERS, TOKEN } from './networks.ts'
import { openPayers } from './payers.ts'
import type { Payers } from './payers.ts'
import type { Plan } from './plan.ts'
import { openSellers } from './sellers.ts'
import type { Sellers } from './sellers.ts'
import type { Premises } from './premises.ts'
import { openSimulatedClock, openWorldTime } from './simulated-clock.ts'
import type { WorldTime } from './simulated-clock.ts'
import { openSimulatedListener } from './simulated-listener.ts'
import type { SimulatedListener } from './simulated-listener.ts'
import { openSimulatedStore } from './simulated-store.ts'
import type { SharedDatabase, SimulatedStore } from './simulated-store.ts'
import { openSteps } from './steps.ts'
import type { Step, Steps } from './steps.ts'
import { openWitness } from './witness.ts'
import type { Witness } from './witness.ts'

/** A running process of the service. */
export interface Life {
  readonly actor: string
  readonly instance: Instance
  readonly store: SimulatedStore
  readonly listener: SimulatedListener
}

/** Everything there is, and the few things that can happen to it. */
export interface World {
  readonly plan: Plan
  readonly dice: Dice
  readonly steps: Steps
  readonly time: WorldTime
  readonly network: ModelNetwork
  readonly payers: Payers
  readonly sellers: Sellers
  readonly witness: Witness
  readonly wallets: readonly Address[]
  readonly lives: readonly Life[]
  start(): Promise<void>
  /** Kills a process: before its next step, or after the effect of a last one that it does not hear of. */
  crash(life: Life, last?: Step): Promise<void>
  passTime(milliseconds: number): Promise<void>
  /** Writes down what happened; two worlds of one seed write the same. */
  note(line: string): void
  trace(): { readonly lines: readonly string[]; readonly hash: string }
}

const FUNDS = 20_000_000n
/** Too little for all that a buyer may sign. */
const BUYER_FUNDS = 3_500_000n

export async function openWorld(plan: Plan, dice: Dice, premises: Premises): Promise<World> {
  const { database } = premises
  await database.reset()
  const config = networkOf(plan.chain)
  const accountId = newId(dice, 'acct')
  const caller: Caller = {
    accountId,
    keyId: newId(dice, 'key'),
    plan: 'enterprise',
    scopes: new Set(['read', 'write', 'settle']),
  }
  const wallets = Array.from({ length: plan.wallets }, (_, index) => `wallet-${index}` as Address)
  const { owner } = database
  await owner.query('world_account', `insert into accounts (id, name) values ($1, 'world')`, [
    accountId,
  ])
  for (const address of wallets) {
    const id = newId(dice, 'wal')
    await owner.query(
      'world_wallet',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, $3, $4, '', '')`,
      [id, accountId, config.family, address],
    )
    if (plan.limit === undefined) continue
    const perDay = String(plan.limit)
    const limits = config.assets.map(({ asset, decimals }) => ({
      network: config.network,
      asset,
      decimals,
      perDay,
    }))
    await owner.query(
      'world_policy',
      `insert into wallet_policies (wallet_id, account_id, rules) values ($1, $2, $3)`,
      [id, accountId, JSON.stringify({ limits, recipients: null, resources: null })],
    )
  }
  const settlers = plan.sales > 0 ? SETTLERS : []
  for (const address of settlers) {
    const id = newId(dice, 'wal')
    await owner.query(
      'world_settler',
      `with wallet as (
         insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
         values ($1, $2, $3, $4, '', '') returning id
       ) insert into settler_wallets (wallet_id, created_at) select id, 'epoch' from wallet`,
      [id, accountId, config.family, address],
    )
  }
  const network = openModelNetwork({
    network: config.network,
    rules: plan.chain === 'fee' ? feeRules : lifetimeRules,
    dice,
    state: new Map([
      ...wallets.flatMap((wallet) =>
        ['native', TOKEN].map((asset) => [balanceKey(wallet, asset), FUNDS] as const),
      ),
      ...settlers.map((settler) => [balanceKey(settler, 'native'), FUNDS] as const),
      ...BUYERS.map((buyer) => [balanceKey(buyer, TOKEN), BUYER_FUNDS] as const),
    ]),
    mannerOf: (address) => RECIPIENTS.get(address) ?? 'takes',
    takesMore: plan.takesMore,
    skipsHeights: plan.chain === 'lifetime',
  })
  network.weather = plan.weather
  // One of them: proof of absence asks two nodes, or one twice with more time between than this.
  for (const node of network.nodes.slice(1)) node.indexLagMilliseconds = plan.indexLagMilliseconds
  const shared: SharedDatabase = { store: database.store, openTransactions: 0 }
  const steps = openSteps({
    waitingForLocks: database.waitingForLocks,
    canWait: () => shared.openTransactions > 1,
  })
  const time = openWorldTime()
  await database.setTime(time.now())
  const payers = openPayers({ caller, wallets, dice })
  const sellers = openSellers({
    caller,
    config,
    dice,
    nowMilliseconds: time.now,
    height: () => network.best().height,
  })
  const witness = openWitness({
    plan,
    database,
    network,
    wallets,
    intents: payers.intents,
    sales: sellers.sales,
  })
  const lives: Life[] = []
  const lines: string[] = []
  const hash = createHash('sha256')
  const note = (text: string) => {
    lines.push(text)
    hash.update(`${text}\n`)
  }
  let born = 0

  return {
    plan,
    dice,
    steps,
    time,
    network,
    payers,
    sellers,
    witness,
    wallets,
    lives,
    note,
    trace: () => ({ lines, hash: hash.copy().digest('hex') }),
    start: async () => {
      const actor = `life-${(born += 1)}`
      note(`${actor} starts`)
      const listener = openSimulatedListener(actor, steps)
      const store = openSimulatedStore({
        actor,
        steps,
        database: shared,
        onCommitted: async ({ statements, notified }) => {
          for (const name of notified) for (const life of lives) life.listener.tell(name)
          if (statements.includes('follower_first_block')) await witness.beginFollowing()
          if (statements.includes('payments_change_status')) {
            await witness.lookAtPayments().catch(witness.report)
          }
        },
      })
      const instance = openInstance({
        actor,
        steps,
        premises,
        store,
        listener,
        chain: openChainPort({
          actor,
          config,
          network,
          steps,
          dice,
          now: time.now,
          onBroadcast: witness.onBroadcast,
        }),
        clock: openSimulatedClock(actor, time, steps),
        settles: plan.sales > 0,
        random: dice,
        log: witness.log,
      })
      lives.push({ actor, instance, store, listener })
      await steps.quiet()
    },
    crash: async (life, last) => {
      note(`${life.actor} dies${last === undefined ? '' : ` after ${last.kind} ${last.label}`}`)
      lives.splice(lives.indexOf(life), 1)
      await steps.forget(life.actor, last)
      await life.store.breakOff()
    },
    passTime: async (milliseconds) => {
      time.advance(milliseconds)
      await database.setTime(time.now())
    },
  }
}
