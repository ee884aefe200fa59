import type { Address } from '@florin/server/chains/chain.ts'
import { findInBooks } from '@florin/server/doctor/books-store.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { nonceKey } from './chain/block-tree.ts'
import type { ModelNetwork } from './chain/model-network.ts'
import type { HeardTransfer } from './chain/signed-transfer.ts'
import type { SimulationDatabase } from './database.ts'
import { Broken, demand } from './finding.ts'
import { judgeAnswers } from './oracles/answers.ts'
import { judgeArrivals } from './oracles/arrivals.ts'
import { openBroadcastOracle } from './oracles/broadcasts.ts'
import { effectsOn, judgeEffects } from './oracles/effects.ts'
import { judgeMoney } from './oracles/money.ts'
import { ENDS, openRecords } from './oracles/records.ts'
import { openSaleOracle } from './oracles/sales.ts'
import { openStatusOracle } from './oracles/statuses.ts'
import type { Intent, Try } from './payers.ts'
import type { Plan } from './plan.ts'
import type { Sale, SaleTry } from './sellers.ts'

/** Who sees both sides, the chain's truth and what is committed, and holds them against each other and against the payers' own notes. */
export interface Witness {
  /** The service has begun to read the chain: what came before is not its business. */
  beginFollowing(): Promise<void>
  /** Bytes are about to leave the house. */
  onBroadcast(transfers: readonly HeardTransfer[]): Promise<void>
  /** The chain has changed. */
  lookAtChain(): void
  /** Payments have changed. */
  lookAtPayments(): Promise<void>
  /** Everything that must hold at any moment, in the books too. */
  lookAtBooks(): Promise<void>
  /** What must hold besides when nothing is under way any more. */
  lookAtEnd(): Promise<void>
  /** Ids of payments that may still change. */
  openPayments(): Promise<readonly string[]>
  /** What has not come to its end yet, in words; empty when all has, and the chain is read up to its final block. */
  underWay(actors: readonly string[]): Promise<string>
  /** Payments in the books, and how many of them moved their money on chain. */
  count(): Promise<{ readonly payments: number; readonly moved: number }>
  /** What an instance logs: what it calls unexpected is a finding. */
  readonly log: Log
  /** Keeps a finding that came up where nobody can throw, until `rethrow`. */
  report(error: unknown): void
  rethrow(): void
}

export function openWitness({
  plan,
  database,
  network,
  intents,
  sales,
  wallets,
}: {
  plan: Plan
  database: SimulationDatabase
  network: ModelNetwork
  intents: readonly Intent[]
  sales: readonly Sale[]
  wallets: readonly Address[]
}): Witness {
  const records = openRecords(database.owner)
  const broadcasts = openBroadcastOracle(plan, network, records)
  const statuses = openStatusOracle(plan, network, records)
  const sold = openSaleOracle(sales, network, records)
  const reported: unknown[] = []
  let readFrom = 0n

  const openPayments = async () =>
    [...(await records.sent()), ...(await records.claims())].flatMap(({ id, status }) =>
      ENDS.has(status) || status === 'expired' ? [] : [id],
    )

  async function lookAtBooks(): Promise<void> {
    await statuses.judge()
    await sold.judge()
    for (const { invariant, subject } of await database.store.inTransaction(
      'service',
      findInBooks,
    )) {
      if (invariant === GIVEN && (await sold.wasTakenBack(subject))) continue
      throw new Broken(invariant, subject)
    }
    for (const wallet of await records.frozenLanes()) {
      const isKnown = network.strangers.some(({ from }) => from === wallet)
      demand(isKnown, 'only a stranger freezes a lane', wallet)
    }
  }

  return {
    beginFollowing: async () => {
      readFrom = (await records.follower())?.height ?? 0n
    },
    onBroadcast: async (transfers) => void reported.push(...(await broadcasts.judge(transfers))),
    lookAtChain: () => judgeEffects(network, intents),
    lookAtPayments: async () => {
      await statuses.judge()
      await sold.judge()
    },
    lookAtBooks,
    lookAtEnd: async () => {
      await lookAtBooks()
      judgeAnswers(intents, await records.sent(), statuses)
      await sold.judgeEnd()
      await judgeMoney(plan, network, records, broadcasts)
      await judgeArrivals(network, records, wallets, readFrom)
    },
    openPayments,
    underWay: async (actors) => {
      const asked = [...intents, ...sales].flatMap<SaleTry | Try>(({ tries }) => tries)
      const waiting = asked.filter(({ answer, actor }) => !answer && actors.includes(actor))
      // A settlement for which somebody else was faster still has its place to use up.
      const used = (wallet: Address) => network.best().state.get(nonceKey(wallet)) ?? 0n
      const open = (await records.lanes()).filter(({ wallet, places }) => used(wallet) < places)
      const behind = network.final().height - ((await records.follower())?.final ?? 0n)
      const words = [
        ...waiting.map(() => 'a request'),
        ...(await openPayments()),
        ...(plan.chain === 'fee' ? open.map(({ wallet }) => `places of ${wallet}`) : []),
        ...(behind > 0n ? [`${behind} final blocks`] : []),
      ]
      return words.join(', ')
    },
    count: async () => {
      const sent = await records.sent()
      const onChain = effectsOn(network.best())
      const moved = sent.filter(({ mark }) => onChain.get(mark)?.some((one) => one.moved))
      return { payments: sent.length, moved: moved.length }
    },
    log: listeningLog((broken) => reported.push(broken)),
    report: (error) => void reported.push(error),
    rethrow: () => {
      if (reported.length > 0) throw reported[0]
    },
  }
}

/** What the doctor says of a success that was told for nothing. */
const GIVEN = 'a success is given out for what is on chain'

/** What the world itself lets the service hear; these are no surprise. */
const OWN = new Set(['CommitUnknown', 'NodeFailure', 'StoreUnavailable'])

/** A log whose errors are findings, but for the freezing of a lane: whether that was right is asked of the chain. */
function listeningLog(onError: (broken: Broken) => void): Log {
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (facts, message) => {
      const { err } = facts
      if (message.endsWith('lane frozen') || (err instanceof Error && OWN.has(err.name))) return
      onError(new Broken(message, err instanceof Error ? `${err.stack}` : JSON.stringify(facts)))
    },
    child: () => log,
  }
  return log
}
