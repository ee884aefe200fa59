import type { Log } from '@florin/server/kernel/log.ts'
import { findInBooks } from '@florin/server/doctor/books-store.ts'
import type { SimulationDatabase } from './database.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import { balanceKey, line, nonceKey } from './chain/block-tree.ts'
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
  readonly nonce: string
}

interface ReceivedRow {
  readonly status: string
  readonly transaction_hash: string
}

/** Who sees both sides, the chain's truth and what is committed, and holds them against each other and against the payers' own notes. */
export interface Witness {
  /** The service has begun to read the chain at its final block: what came before is not its business. */
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
  wallets,
}: {
  plan: Plan
  wallets: readonly Address[]
  database: SimulationDatabase
  network: ModelNetwork
  intents: readonly Intent[]
}): Witness {
  const { owner } = database
  const heard = new Map<string, HeardTransfer>()
  const ended = new Map<string, string>()
  const reported: unknown[] = []
  let followedFrom = 0n
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
      `select p.id, p.status, p.amount, encode(p.commitment, 'hex') as mark, p.asset, p.sender, t.nonce
       from payments p join payment_transactions pt on pt.payment_id = p.id
       join chain_transactions t on t.id = pt.chain_transaction_id order by p.id`,
    )

  async function lookAtPayments(): Promise<void> {
    const onChain = effects()
    const final = new Map<string, Included>()
    for (const { included } of line(network.final())) {
      for (const one of included) final.set(one.transfer.mark, one)
    }
    const spent = new Map<string, bigint>()
    for (const { id, status, amount, mark, asset, sender, nonce } of await payments()) {
      const before = ended.get(id)
      demand(before === undefined || before === status, 'an end is final', `${id} left ${before}`)
      if (status === 'settled' || status === 'failed') ended.set(id, status)
      const moved = onChain.get(mark)?.some((included) => included.moved) === true
      demand(status !== 'failed' || !moved, 'what failed never moves money', id)
      const end = final.get(mark)
      demand(status !== 'settled' || end?.moved === true, 'settled is final on chain', id)
      const used = network.final().state.get(nonceKey(sender as Address)) ?? 0n
      const isTaken = plan.chain === 'fee' && used > BigInt(nonce)
      const isOver = end === undefined ? isTaken : !end.moved
      demand(status !== 'failed' || isOver, 'failed is proven at finality', id)
      const key = `${sender} ${asset}`
      if (status !== 'failed') spent.set(key, (spent.get(key) ?? 0n) + BigInt(amount))
    }
    for (const [key, sum] of spent) {
      demand(plan.limit === undefined || sum <= plan.limit, 'a budget holds', key)
    }
  }

  async function lookAtBooks(): Promise<void> {
    await lookAtPayments()
    const [found] = await database.store.inTransaction('service', findInBooks)
    if (found !== undefined) throw new Broken(found.invariant, found.subject)
    const frozen = await owner.query<{ address: string }>(
      'witness_frozen',
      `select address from lanes where state = 'frozen'`,
    )
    for (const { address } of frozen) {
      demand(network.strangers.has(address), 'only a stranger freezes a lane', address)
    }
  }

  /** Every final arrival since the network is followed has one record, and it is settled. */
  async function lookAtDeposits(): Promise<void> {
    const rows = await owner.query<ReceivedRow>(
      'witness_received',
      `select status, transaction_hash from payments where type = 'received'`,
    )
    const records = Map.groupBy(rows, (row) => row.transaction_hash)
    for (const { included, height } of line(network.final())) {
      for (const { transfer, moved } of included) {
        if (!moved || !wallets.includes(transfer.to) || height <= followedFrom) continue
        const mine = records.get(transfer.hash)?.map(({ status }) => status) ?? []
        records.delete(transfer.hash)
        demand(
          mine.join() === 'settled',
          'what came is recorded once',
          `${transfer.hash} ${mine.join()}`,
        )
      }
    }
    for (const [hash, [row]] of records) {
      demand(row?.status !== 'settled', 'what is recorded as settled came', hash)
    }
  }

  return {
    beginFollowing: async () => {
      const rows = await owner.query<{ height: string }>(
        'witness_begin',
        `select height from followers`,
      )
      followedFrom = BigInt(rows[0]?.height ?? 0)
    },
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
      for (const { key, tries, number } of intents) {
        const asked = new Set(tries.map(({ amount }) => amount))
        const paid = [...asked].reduce((sum, amount) => sum + (perAmount.get(amount) ?? 0), 0)
        const most = key === undefined ? tries.length : 1
        demand(paid <= most, 'an intent is paid once', String(number))
      }
    },
    lookAtPayments,
    lookAtBooks,
    openPayments: async () =>
      (await payments()).filter(({ status }) => status !== 'settled' && status !== 'failed').length,
    lookAtEnd: async () => {
      await lookAtBooks()
      const rows = await payments()
      for (const intent of intents) judgeAnswers(intent, rows)
      await conserved()
      await lookAtDeposits()
    },
    log: listeningLog((facts, message) => {
      const text = 'err' in facts && facts.err instanceof Error ? facts.err.stack : undefined
      // Whether it was right is asked of the chain, see `lookAtPayments`.
      if (message.endsWith('lane frozen')) return
      note(message, text ?? JSON.stringify(facts))
    }),
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
  function judgeAnswers({ number, key, tries }: Intent, rows: readonly PaymentRow[]): void {
    const subject = `intent ${number}`
    const amounts = Map.groupBy(tries, ({ amount }) => amount)
    const mine = rows.filter((row) => amounts.has(BigInt(row.amount)))
    demand(key === undefined || mine.length <= 1, 'a key makes one payment', subject)
    for (const [amount, asked] of amounts) {
      const made = mine.filter((row) => BigInt(row.amount) === amount)
      const mayExist = asked.filter(({ answer }) => answer?.kind !== 'refused').length
      demand(made.length <= mayExist, 'what was refused was not stored', subject)
      for (const { answer } of asked) {
        if (answer?.kind === 'unforeseen') {
          const { error } = answer
          throw new Broken('nothing unforeseen', error instanceof Error ? `${error.stack}` : '')
        }
        if (answer?.kind !== 'paid') continue
        const isMade = made.some(({ id }) => id === answer.paymentId)
        demand(isMade, 'an answer names the payment that was asked for', subject)
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
      const key = balanceKey(address as Address, asset)
      let came = network.tree.first.state.get(key) ?? 0n
      let isStolen = false
      for (const { included } of line(best)) {
        for (const { transfer, moved } of included) {
          if (moved && transfer.to === address && transfer.asset === asset) came += transfer.amount
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

  async function lanes(): Promise<readonly (readonly [Address, bigint])[]> {
    const rows = await owner.query<{ address: Address; next_nonce: string }>(
      'witness_lanes',
      `select address, next_nonce from lanes`,
    )
    return rows.map(({ address, next_nonce: next }) => [address, BigInt(next)] as const)
  }
}

function isSamePlace(one: HeardTransfer, other: HeardTransfer): boolean {
  return one.from === other.from && one.nonce === other.nonce
}

/** What the world itself lets the service hear; these are no surprise. */
const OWN = new Set(['CommitUnknown', 'NodeFailure', 'StoreUnavailable'])

function listeningLog(onError: (facts: object, message: string) => void): Log {
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (facts, message) => {
      if (facts.err instanceof Error && OWN.has(facts.err.name)) return
      onError(facts, message)
    },
    child: () => log,
  }
  return log
}
