import type { Log } from '@florin/server/kernel/log.ts'
import { findInBooks } from '@florin/server/doctor/books-store.ts'
import type { SimulationDatabase } from './database.ts'
import { balanceKey, line, nonceKey, SOURCE } from './chain/block-tree.ts'
import type { Included } from './chain/block-tree.ts'
import type { ModelNetwork } from './chain/model-network.ts'
import type { HeardTransfer } from './chain/signed-transfer.ts'
import { Broken, demand } from './finding.ts'
import type { Intent } from './payers.ts'
import type { Plan } from './plan.ts'

interface PaymentRow {
  readonly id: string
  readonly status: string
  readonly amount: string
  readonly mark: string
  readonly asset: string
  readonly sender: string
}

/** Who sees both sides, the chain's truth and what is committed, and holds them against each other and against the payers' own notes. */
export interface Witness {
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
  openPayments(): Promise<number>
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
}: {
  plan: Plan
  database: SimulationDatabase
  network: ModelNetwork
  intents: readonly Intent[]
}): Witness {
  const { owner } = database
  const heard = new Map<string, HeardTransfer>()
  const ended = new Map<string, string>()
  const reported: unknown[] = []
  const note = (invariant: string, subject: string) => {
    reported.push(new Broken(invariant, subject))
  }

  /** What stands on the best chain of our payments, by mark. */
  function effects(): ReadonlyMap<string, readonly Included[]> {
    const found = new Map<string, Included[]>()
    for (const { included } of line(network.best())) {
      for (const one of included) {
        const { mark } = one.transfer
        if (mark !== '') found.set(mark, [...(found.get(mark) ?? []), one])
      }
    }
    return found
  }

  const payments = () =>
    owner.query<PaymentRow>(
      'witness_payments',
      `select id, status, amount, encode(commitment, 'hex') as mark, asset, sender
       from payments where type = 'sent' order by id`,
    )

  async function lookAtPayments(): Promise<void> {
    const onChain = effects()
    const final = new Set<string>()
    for (const { included } of line(network.final())) {
      for (const { transfer, moved } of included) if (moved) final.add(transfer.mark)
    }
    const spent = new Map<string, bigint>()
    for (const { id, status, amount, mark, asset, sender } of await payments()) {
      const before = ended.get(id)
      demand(before === undefined || before === status, 'an end is final', `${id} left ${before}`)
      if (status === 'settled' || status === 'failed') ended.set(id, status)
      const moved = onChain.get(mark)?.some((included) => included.moved) === true
      demand(status !== 'failed' || !moved, 'what failed never moves money', id)
      demand(status !== 'settled' || final.has(mark), 'settled is final on chain', id)
      const key = `${sender} ${asset}`
      if (status !== 'failed') spent.set(key, (spent.get(key) ?? 0n) + BigInt(amount))
    }
    for (const [key, sum] of spent) {
      demand(plan.limit === undefined || sum <= plan.limit, 'a budget holds', key)
    }
  }

  async function lookAtBooks(): Promise<void> {
    await lookAtPayments()
    const findings = await database.store.inTransaction('service', findInBooks)
    const found = findings.find(({ invariant }) => invariant !== '')
    if (found !== undefined) throw new Broken(found.invariant, found.subject)
  }

  return {
    report: (error) => void reported.push(error),
    rethrow: () => {
      if (reported.length > 0) throw reported[0]
    },
    onBroadcast: async (transfers) => {
      const rows = await owner.query<{ hash: string }>(
        'witness_attempts',
        `select hash from attempts where hash = any($1)`,
        [transfers.map(({ hash }) => hash)],
      )
      const stored = new Set(rows.map(({ hash }) => hash))
      for (const transfer of transfers) {
        if (!stored.has(transfer.hash)) note('stored before it is broadcast', transfer.hash)
        for (const other of heard.values()) {
          if (other.hash === transfer.hash) continue
          if (other.mark === transfer.mark) judgeRival(other, transfer)
          else if (plan.chain === 'fee' && isSamePlace(other, transfer)) {
            note('a place serves one payment', `${transfer.from} ${transfer.nonce}`)
          }
        }
        heard.set(transfer.hash, transfer)
      }
    },
    lookAtChain: () => {
      const perAmount = new Map<bigint, number>()
      for (const [mark, included] of effects()) {
        const moved = included.filter((one) => one.moved)
        demand(moved.length <= 1, 'a payment moves money once', mark)
        for (const { transfer } of moved) {
          perAmount.set(transfer.amount, (perAmount.get(transfer.amount) ?? 0) + 1)
        }
      }
      for (const { amount, key, tries, number } of intents) {
        const most = key === undefined ? tries.length : 1
        demand((perAmount.get(amount) ?? 0) <= most, 'an intent is paid once', String(number))
      }
    },
    lookAtPayments,
    lookAtBooks,
    openPayments: async () =>
      (await payments()).filter(({ status }) => status !== 'settled' && status !== 'failed').length,
    lookAtEnd: async () => {
      await lookAtBooks()
      const rows = await payments()
      const ids = new Set(rows.map(({ id }) => id))
      for (const intent of intents) judgeAnswers(intent, rows, ids)
      await conserved()
    },
    log: listeningLog((facts, message) => note(message, JSON.stringify(facts))),
  }

  /** Other bytes of the same payment that a node has heard of. */
  function judgeRival(other: HeardTransfer, transfer: HeardTransfer): void {
    if (plan.chain === 'fee') {
      if (!isSamePlace(other, transfer)) note('a payment keeps its place', transfer.hash)
      return
    }
    const isOver = network.final().height > other.lifetime
    const isThere = network.tree.find(network.best(), other.hash) !== undefined
    if (!isOver || isThere) note('a new lifetime only when the old one is over', transfer.hash)
  }

  /** What payers were told against what is stored. */
  function judgeAnswers(
    { number, amount, key, tries }: Intent,
    rows: readonly PaymentRow[],
    ids: ReadonlySet<string>,
  ): void {
    const mine = rows.filter((row) => BigInt(row.amount) === amount)
    const mayExist = tries.filter(({ answer }) => answer?.kind !== 'refused').length
    demand(mine.length <= mayExist, 'what was refused was not stored', `intent ${number}`)
    demand(key === undefined || mine.length <= 1, 'a key makes one payment', `intent ${number}`)
    for (const { answer } of tries) {
      if (answer?.kind === 'unforeseen') {
        const { error } = answer
        throw new Broken('nothing unforeseen', error instanceof Error ? (error.stack ?? '') : '')
      }
      if (answer?.kind === 'paid') {
        demand(ids.has(answer.paymentId), 'an answered payment exists', answer.paymentId)
      }
    }
  }

  /** What the books say of a wallet is what it has, but for deposits that nobody has booked yet. */
  async function conserved(): Promise<void> {
    const rows = await owner.query<{ address: string; asset: string; booked: string; in: string }>(
      'witness_balances',
      `select w.address, a.asset,
         sum(a.balance) filter (where a.kind in ('available', 'held')) as booked,
         (select coalesce(sum(e.amount), 0) from ledger_entries e
          join ledger_transfers t on t.id = e.transfer_id and t.kind = 'funding'
          join ledger_accounts f on f.id = e.ledger_account_id and f.kind = 'available'
          where f.wallet_id = w.id and f.asset = a.asset) as in
       from ledger_accounts a join wallets w on w.id = a.wallet_id
       group by w.id, w.address, a.asset`,
    )
    const best = network.best()
    for (const { address, asset, booked, in: funded } of rows) {
      const key = balanceKey(address as HeardTransfer['from'], asset)
      let came = network.tree.first.state.get(key) ?? 0n
      let isStolen = false
      for (const { included } of line(best)) {
        for (const { transfer } of included) {
          const isOurs = transfer.to === address && transfer.asset === asset
          if (transfer.from === SOURCE && isOurs) came += transfer.amount
          if (transfer.from === address && !heard.has(transfer.hash)) isStolen = true
        }
      }
      if (isStolen) continue
      const unbooked = came - BigInt(funded)
      demand(unbooked >= 0n, 'only money that came is booked', key)
      const has = best.state.get(key) ?? 0n
      demand(has === BigInt(booked) + unbooked, 'money is conserved', `${key}: ${has} ${booked}`)
    }
    for (const [address, used] of await lanes()) {
      const places = best.state.get(nonceKey(address)) ?? 0n
      if (plan.chain === 'fee') demand(places >= used, 'every place is used at the end', address)
    }
  }

  async function lanes(): Promise<readonly (readonly [HeardTransfer['from'], bigint])[]> {
    const rows = await owner.query<{ address: HeardTransfer['from']; next_nonce: string }>(
      'witness_lanes',
      `select address, next_nonce from lanes`,
    )
    return rows.map(({ address, next_nonce: next }) => [address, BigInt(next)] as const)
  }
}

function isSamePlace(one: HeardTransfer, other: HeardTransfer): boolean {
  return one.from === other.from && one.nonce === other.nonce
}

/** Errors that the world itself makes, as the service's log words them. */
const OWN = /the world|no node/

function listeningLog(onError: (facts: object, message: string) => void): Log {
  const listen = (facts: object, message: string) => {
    if (!('reason' in facts && OWN.test(String(facts.reason)))) onError(facts, message)
  }
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: listen,
    child: () => log,
  }
  return log
}
