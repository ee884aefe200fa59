import type { TransactionHash } from '../chains/chain.ts'
import { CURRENCY_DECIMALS } from '../kernel/currency-tokens.ts'
import { openFillings } from '../sender/gap-filling-store.ts'
import type { Tx } from '../store/postgres.ts'

/** One thing that must never be so, and what breaks it. */
export interface Finding {
  readonly invariant: string
  readonly subject: string
}

/** Rows named per invariant; more are counted by the next run. */
const FINDINGS_PER_INVARIANT_MAX = 50

/** Whether a place fills a nonce that nobody had used: it sends nothing to itself. */
function fillsGap(place: string): string {
  return `exists (select from attempts fill where fill.chain_transaction_id = ${place}.id
    and fill.terms ->> 'to' = ${place}.lane_address and fill.terms ->> 'value' = '0')`
}

/**
 * How many base units of the books of a payment's ledger transfer one base unit of the payment is: those of a token that is the native currency are there. A payment
 * that holds its own token, too, has only its fee in the native ones.
 */
function unitsIn(transfer: string, payment: string): string {
  return `case when ${transfer}.asset = ${payment}.asset then 1
    when exists (select from ledger_transfers own where own.payment_id = ${payment}.id and own.kind = 'hold' and own.asset = ${payment}.asset) then 0
    else 10::numeric ^ (${CURRENCY_DECIMALS} - ${payment}.decimals) end`
}

/**
 * What must hold in the database whatever was killed and when, each as the query for its counterexamples. `subject` names one
 * row that breaks it.
 */
const INVARIANTS: Readonly<Record<string, string>> = {
  'every ledger transfer sums to zero per asset': `
    select 'transfer ' || t.id as subject from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
    group by t.id having sum(e.amount) <> 0 or count(*) < 2`,
  'the ledger sums to zero per network and asset': `
    select network || ' ' || asset as subject from ledger_entries group by network, asset having sum(amount) <> 0`,
  'a balance is the sum of its entries': `
    select 'ledger account ' || a.id as subject from ledger_accounts a
    left join ledger_entries e on e.ledger_account_id = a.id
    group by a.id having a.balance <> coalesce(sum(e.amount), 0)`,
  'held is never negative, and available by no more than networks took above what was held': `
    select 'ledger account ' || a.id as subject from ledger_accounts a
    where a.balance < 0 and (a.kind = 'held' or (a.kind = 'available' and -a.balance > (
      select coalesce(sum(least(-e.amount, fee.amount)), 0) from ledger_entries e join ledger_entries fee using (transfer_id)
      join ledger_accounts f on f.id = fee.ledger_account_id and f.kind = 'fees'
      where e.ledger_account_id = a.id and e.amount < 0)))`,
  'what is held is what open holds say': `
    select 'ledger account ' || a.id as subject from ledger_accounts a
    where a.kind = 'held' and a.balance <> coalesce((
      select sum(e.amount) from ledger_entries e join ledger_transfers t on t.id = e.transfer_id
      where e.ledger_account_id = a.id and t.kind = 'hold' and not exists (
        select from ledger_transfers c where c.payment_id = t.payment_id and c.asset = t.asset
          and c.kind in ('post', 'void'))), 0)`,
  'a payment under way holds its money, a finished one holds none': `
    select p.id as subject from payments p where p.type = 'sent' and not p.self_custody and (p.status in ('pending', 'confirmed')) is distinct from
      exists (select from ledger_transfers t where t.payment_id = p.id and t.kind = 'hold' and not exists (
        select from ledger_transfers c where c.payment_id = p.id and c.asset = t.asset and c.kind in ('post', 'void')))`,
  'a hold covers amount and fee ceiling': `
    select p.id as subject from payments p
    join ledger_transfers t on t.payment_id = p.id and t.kind = 'hold'
    join ledger_entries e on e.transfer_id = t.id and e.amount > 0
    left join purchases u on u.payment_id = p.id
    where e.amount <> (case when u.taken is not null then (u.stored ->> 'permitted')::numeric else p.amount end) * (${unitsIn('t', 'p')})
      + case when t.asset = 'native' then p.fee_ceiling else 0 end`,
  'what a payer was given for an approval is a payment of that amount to that payer': `
    select 'approval ' || a.hash as subject from sponsored_approvals a left join payments p on p.id = a.payment_id
    where a.payment_id is not null and (p.id is null or p.type <> 'sent' or p.account_id <> a.sponsor_account_id
      or p.network <> a.network or p.asset <> 'native' or p.amount <> a.amount or p.recipient <> a.payer)`,
  'a lane stands behind its last place': `
    select t.network || ' ' || t.lane_address as subject from chain_transactions t
    join lanes l on l.network = t.network and l.address = t.lane_address
    group by t.network, t.lane_address, l.next_nonce having max(t.nonce) >= l.next_nonce`,
  'every place has signed bytes from its first attempt on': `
    select 'place ' || t.id as subject from chain_transactions t
    where not exists (select from attempts a where a.chain_transaction_id = t.id and a.number = 1)`,
  'all attempts of a place move the same': `
    -- But for those of nothing where a nonce is filled: they are the last of their place.
    select 'place ' || chain_transaction_id as subject from (
      select a.*, f.lane_address,
        f.lane_address is not null and terms ->> 'to' = f.lane_address and terms ->> 'value' = '0' as fills
      from attempts a left join gap_fillings f using (chain_transaction_id)) each
    group by chain_transaction_id
    having count(distinct (terms ->> 'to') || ' ' || (terms ->> 'value') || ' '
        || coalesce(terms ->> 'dataDigest', encode(sha256(convert_to(terms ->> 'data', 'UTF8')), 'hex'))) filter (where not fills) > 1
      or max(number) filter (where not fills) > min(number) filter (where fills)`,
  'a new lifetime is given only on evidence that every earlier one was over': `
    select 'place ' || a.chain_transaction_id as subject from attempts a
    where a.network like 'solana:%' and exists (
      select from attempts later where later.chain_transaction_id = a.chain_transaction_id and later.number > a.number)
      and (select count(*) < 2 or bool_or(found) from expiry_looks l where l.attempt_id = a.id)`,
  'every place carries a payment and every sent payment has one place': `
    select coalesce(p.id, 'place ' || t.id, pt.payment_id) as subject from payments p
    full join payment_transactions pt on pt.payment_id = p.id
    full join chain_transactions t on t.id = pt.chain_transaction_id
    where (p.id is null or t.id is null) and (p.id is null or (p.type = 'sent' and not p.self_custody
        and not exists (select from purchases where payment_id = p.id)))
      and t.before_payment is null and (t.id is null or not (${fillsGap('t')} or exists (
        select from escrow_calls c where c.chain_transaction_id = t.id)))`,
  'every call to an escrow has a place of its own, which carries no payment': `
    select c.network || ' ' || c.call_key as subject from escrow_calls c
    left join chain_transactions t on t.id = c.chain_transaction_id and t.network = c.network
    where t.id is null or exists (select from payment_transactions where chain_transaction_id = t.id)
      or exists (select from escrow_calls other where other.chain_transaction_id = t.id and other.call_key <> c.call_key)`,
  // Its record follows its place a little later, so only what is over is compared.
  'a call to an escrow that is over and its place tell the same story': `
    select c.id as subject from escrow_calls c join chain_transactions t on t.id = c.chain_transaction_id
    where not case c.status
      when 'settled' then t.state = 'final' and t.succeeded
      when 'failed' then t.state = 'dead' or (t.state = 'final' and (not t.succeeded or ${fillsGap('t')}))
      else true end`,
  'what a place carries is a payment, and what carries it is a place': `
    select pt.payment_id || ' in place ' || pt.chain_transaction_id as subject from payment_transactions pt
    left join payments p on p.id = pt.payment_id left join chain_transactions t on t.id = pt.chain_transaction_id
    where t.id is null or (p.id is null and t.before_payment is not null)`,
  'a payment and its place tell the same story': `
    select p.id as subject from payments p join payment_transactions pt on pt.payment_id = p.id
    join chain_transactions t on t.id = pt.chain_transaction_id
    where p.type = 'sent' and not case p.status
      when 'pending' then t.state = 'open' or (t.state = 'mined' and (not t.succeeded or p.asset <> 'native'))
      when 'confirmed' then t.state = 'mined' and t.succeeded and t.mined_hash = p.transaction_hash
      when 'settled' then t.state = 'final' and t.succeeded and t.mined_hash = p.transaction_hash
      when 'failed' then t.state = 'dead' or (t.state = 'final' and (not t.succeeded or p.asset <> 'native'))
        -- A replaced final block gave its nonce back, and nothing of what was sent there gets in any more, or is to.
        or (exists (select from gap_fillings where chain_transaction_id = t.id) and (t.state = 'open'
          or exists (select from attempts a where a.chain_transaction_id = t.id and a.hash = t.mined_hash
            and a.terms ->> 'to' = t.lane_address and a.terms ->> 'value' = '0')))
      when 'expired' then t.state = 'dead'
      else false end`,
  'a settlement of ours that took effect is what its payment names': `
    select p.id as subject from payments p join payment_transactions pt on pt.payment_id = p.id
    join chain_transactions t on t.id = pt.chain_transaction_id
    where p.type = 'received' and t.state in ('mined', 'final') and t.succeeded and not pt.without_effect
      and (p.transaction_hash is distinct from t.mined_hash or p.status not in ('confirmed', 'settled')
        or (t.state = 'final' and p.status <> 'settled'))`,
  'what was claimed is a received payment of the same account, and nothing else is settled without a claim': `
    select coalesce(c.payment_id, p.id) as subject from settlement_claims c
    full join (select * from payments where type = 'received') p on p.id = c.payment_id
    where p.id is null or c.account_id <> p.account_id or (c.payment_id is null and p.occurrence is null)`,
  'a success is given out for what is on chain': `
    select c.payment_id as subject from settlement_claims c join payments p on p.id = c.payment_id
    where c.answered_at is not null and p.status in ('failed', 'expired')`,
  'the newest event of a payment or of a call to an escrow tells its status': `
    with newest as (
      -- By the text of a line, a fraction of the work of reading JSON: its head is ours, and so is what comes before the status. What is put in
      -- order are ids, not lines.
      select distinct on (resource_id) resource_id, nullif(status, '') as status from (
        select split_part(line, '"', 8) as resource_id, split_part(split_part(line, '"status":"', 2), '"', 1) as status, id, place, nth
        from (
          select facts, last_sequence - count as place, null as id from event_runs
          union all select facts, 0, id from outbox) told
          cross join lateral (select * from string_to_table(facts, E'\\n') with ordinality as each (line, nth)) as lines
        where starts_with(line, '{"type":"payment",') or starts_with(line, '{"type":"escrowCall",')) said
      order by resource_id, id desc nulls last, place desc, nth desc)
    select p.id as subject from payments p left join newest on newest.resource_id = p.id
    where p.status is distinct from newest.status
      -- Events are kept for 30 days, so what came to its end before may have none.
      and (newest.status is not null
        or greatest(p.created_at, p.confirmed_at, p.settled_at, p.failed_at) > now() - interval '30 days')
    union all select c.id from escrow_calls c left join newest on newest.resource_id = c.id
    where c.status is distinct from newest.status
      and (newest.status is not null
        or greatest(c.created_at, c.confirmed_at, c.settled_at, c.ended_at) > now() - interval '30 days')`,
  'a payment that was sent or came in counts one effect, its own, when it is settled and not before': `
    select p.id as subject from payments p left join effects e on e.payment_id = p.id
    where not case p.status
      when 'settled' then coalesce(e.direction = p.type and e.transaction_hash = p.transaction_hash, false)
      else e.payment_id is null end and not (p.self_custody and p.commitment is null)`,
  'a payment is of an account that exists, and an effect of a payment of the same account': `
    select p.id as subject from payments p where not exists (select from accounts where id = p.account_id)
    union all select 'effect of ' || e.payment_id from effects e left join payments p on p.id = e.payment_id
    where p.id is null or p.account_id <> e.account_id`,
  'a payment that was built for a wallet of its own has its build, which is closed when and only when the payment is over': `
    select coalesce(p.id, b.payment_id) as subject from (select * from payments where self_custody) p
    full join (select * from builds where proof_key is null) b on b.payment_id = p.id
    where p.id is null or b.payment_id is null or b.account_id <> p.account_id or b.network <> p.network
      or b.sender <> p.sender or b.recipient <> p.recipient or b.asset <> p.asset or b.amount <> p.amount
      or b.commitment is distinct from p.commitment
      or (p.status in ('pending', 'confirmed')) <> (b.closed_at is null)`,
  'a build that settles a proof is for a received payment of its account, which has claimed that proof': `
    select b.payment_id as subject from builds b
    left join payments p on p.id = b.payment_id and p.type = 'received' and p.account_id = b.account_id
      and p.network = b.network and p.recipient = b.recipient and p.asset = b.asset and p.amount = b.amount
    left join settlement_claims c on c.payment_id = b.payment_id and c.account_id = b.account_id and c.network = b.network
    where b.proof_key is not null and (p.id is null or c.payment_id is null
      or c.proof_key not in (b.proof_key, b.proof_key || '/' || b.payment_id))`,
  'what a seller was authorised to take is a payment of the same wallet, which is closed when and only when it is over': `
    select u.payment_id as subject from purchases u left join payments p on p.id = u.payment_id
    where p.id is null or p.type <> 'sent' or p.account_id <> u.account_id or p.wallet_id <> u.wallet_id
      or p.network <> u.network or p.amount <> coalesce(u.taken, (u.stored ->> 'value')::numeric) or p.recipient <> u.stored ->> 'to'
      or (p.status in ('pending', 'confirmed')) <> (u.closed_at is null)
      or (p.status in ('confirmed', 'settled')) <> (u.used_hash is not null and u.used_log_index is not null)
      or (u.used_hash is not null and u.stored ->> 'pays' = 'upto') <> (u.taken is not null)
      or (p.status = 'settled' and not exists (select from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
        join ledger_accounts a on a.id = e.ledger_account_id and a.kind = 'external'
        where t.payment_id = p.id and t.kind = 'post' and e.amount = p.amount * (${unitsIn('t', 'p')})))`,
  'what a seller took is the effect of one payment alone': `
    select payment_id as subject from purchases where closed_at is null and look_at = 'infinity'`,
  'a purchase has come to its end a day after it could be used no more': `
    select payment_id as subject from purchases where closed_at is null and used_height is null and dead_height is null
      and look_at is distinct from 'infinity' and valid_before < extract(epoch from now() - interval '1 day')`,
  'a deposit is a record of the wallet that it came to': `
    select p.id as subject from payments p where p.occurrence is not null and not exists (
      select from wallets w where w.id = p.wallet_id and w.account_id = p.account_id and w.address = p.recipient)`,
  'a transfer that came in has one record': `
    -- Counted, not joined: one transaction may hold any number of either.
    select id as subject from (
      select id, occurrence, count(*) filter (where occurrence is null)
        over (partition by network, transaction_hash, block_hash, log_index, account_id) as claims
      from payments where type = 'received' and status in ('confirmed', 'settled')
        and transaction_hash is not null and block_hash is not null and log_index is not null) moved
    where occurrence is not null and claims > 0`,
  'a budget is given back when and only when the payment came to nothing': `
    select p.id as subject from payments p join policy_spends s on s.payment_id = p.id
    where (p.status in ('failed', 'expired')) <> (s.released_at is not null)`,
  'what a wallet has spent is summed up as its spends say, without a gap': `
    select sums.wallet_id || ' ' || sums.network || ' ' || sums.asset as subject from (
      select *, lag(until) over (partition by wallet_id, network, asset order by until) as before from policy_spend_sums) sums
    where sums.before <> sums.since or (
      not exists (select from policy_spend_changes c where c.wallet_id = sums.wallet_id and c.network = sums.network and c.asset = sums.asset
        and c.reserved_at >= sums.since and c.reserved_at < sums.until)
      and sums.amount <> coalesce((select sum(s.amount) from policy_spends s
        where s.wallet_id = sums.wallet_id and s.network = sums.network and s.asset = sums.asset and s.released_at is null
          and s.reserved_at >= sums.since and s.reserved_at < sums.until), 0))
    group by 1`,
  'a trade is carried by a payment of its account that moves what goes in, and says what came in when and only when that took effect': `
    select coalesce(d.id, p.id) as subject from trades d full join (select * from payments where trade_id is not null) p on p.id = d.payment_id
    where d.id is null or p.id is null or p.trade_id <> d.id or p.account_id <> d.account_id or p.network <> d.network
      or p.sender <> d.wallet_address or p.amount <> d.amount_in
      or p.asset <> case d.side when 'buy' then 'native' else d.mint end
      or (d.received is not null and p.status not in ('confirmed', 'settled')) or d.received < d.minimum_out`,
  'a place that was made for the one after it is right before that one': `
    select 'place ' || b.id as subject from chain_transactions b
    where b.before_payment is not null and not exists (select from payment_transactions pt
      join chain_transactions t on t.id = pt.chain_transaction_id
      where pt.payment_id = b.before_payment and t.network = b.network and t.lane_address = b.lane_address
        and (t.nonce = b.nonce + 1 or (t.nonce > b.nonce and ${fillsGap('b')})))`,
  'the fee of what filled a nonce is in the books of its wallet when it is final': `
    select 'place ' || t.id as subject from gap_fillings f join chain_transactions t on t.id = f.chain_transaction_id
    where t.state = 'final' and f.booked_fee is null
    union all
    select lane from (
      select network || ' ' || lane_address as lane, sum(booked_fee) as taken from gap_fillings where booked_fee > 0 group by 1) f
    full join (
      select a.network || ' ' || w.address as lane, sum(e.amount) as booked
      from ledger_transfers t join ledger_entries e on e.transfer_id = t.id
      join ledger_accounts a on a.id = e.ledger_account_id and a.kind = 'fees' join wallets w on w.id = a.wallet_id
      where t.kind = 'correction' group by 1) b using (lane)
    where taken is distinct from booked`,
  'an idempotency key names something that exists': `
    select k.operation || ' ' || k.resource_id as subject from idempotency_keys k
    where not exists (select from payments where id = k.resource_id)
      and not exists (select from wallets where id = k.resource_id)
      and not exists (select from receiving_addresses where address = k.resource_id)
      and not exists (select from api_keys where id = k.resource_id)
      and not exists (select from members where id = k.resource_id)
      and not exists (select from webhooks where id = split_part(k.resource_id, ' ', 1))`,
  'an address has as many payments as are counted for it': `
    select coalesce(p.address, c.address) || ' ' || coalesce(p.type, c.type) as subject from (
      select account_id, type, case type when 'sent' then sender else recipient end as address, count(*) as there
      from payments group by 1, 2, 3) p
    full join (select account_id, type, address, sum(count) as counted from payment_counts group by 1, 2, 3) c
      using (account_id, type, address)
    where there is distinct from counted`,
  'a status has as many payments as are tallied for it': `
    select coalesce(p.network, t.network) || ' ' || coalesce(p.type, t.type) || ' ' || coalesce(p.status, t.status) as subject
    from (select network, type, status, count(*) as there from payments group by 1, 2, 3) p
    full join (select network, type, status, nullif(sum(count), 0) as tallied from payment_tallies group by 1, 2, 3) t
      using (network, type, status)
    where there is distinct from tallied`,
  'of what waits for a webhook in one lane the first is due, and it alone': `
    select webhook_id || ' ' || lane as subject from webhook_deliveries where status = 'waiting'
    group by webhook_id, lane
    having count(due_at) <> 1 or min(position) <> min(position) filter (where due_at is not null)`,
  'an event that is to be given out to webhooks is kept': `
    select account_id || ' ' || given_sequence + 1 as subject from webhook_givings g
    where not exists (select from event_runs r where r.account_id = g.account_id
      and r.last_sequence > g.given_sequence and r.last_sequence - r.count <= g.given_sequence)`,
  'no network is stopped and no final block was replaced': `
    select network as subject from followers where halted_reason is not null
    union all select id from payments where finality_violated`,
}

/** Every invariant that the database breaks now, in one snapshot. */
export async function findInBooks(tx: Tx): Promise<readonly Finding[]> {
  await tx.query('doctor_snapshot', 'set transaction isolation level repeatable read, read only')
  // It wants whole tables, and by an index that takes twice as long.
  await tx.query('doctor_scans', 'set local enable_seqscan = on')
  const findings: Finding[] = []
  for (const [invariant, counterexamples] of Object.entries(INVARIANTS)) {
    const name = `doctor_${Object.keys(INVARIANTS).indexOf(invariant)}`
    const rows = await tx.query<{ subject: string }>(
      name,
      `select subject from (${counterexamples}) found limit ${FINDINGS_PER_INVARIANT_MAX}`,
    )
    for (const { subject } of rows) findings.push({ invariant, subject })
  }
  return findings
}

/** A place as the database tells it, for holding it against the chain. */
export interface TracedPlace {
  readonly id: string
  readonly state: 'open' | 'mined' | 'final' | 'dead'
  readonly mined_hash: string | null
  readonly mined_height: string | null
  readonly mined_block_hash: string | null
  readonly hashes: readonly TransactionHash[]
}

/** The newest places of a network, at most `count`. */
export async function newestPlaces(
  tx: Tx,
  network: string,
  count: number,
): Promise<readonly TracedPlace[]> {
  return tx.query<TracedPlace>(
    'doctor_places',
    `select t.id, t.state, t.mined_hash, t.mined_height, t.mined_block_hash, array_agg(a.hash order by a.number) as hashes
     from chain_transactions t join attempts a on a.chain_transaction_id = t.id
     where t.network = $1 group by t.id order by t.id desc limit $2`,
    [network, count],
  )
}

/** A lane that stands further than its places reach, or has a gap between them, and the last nonce without a place. */
export interface PassedOver {
  readonly address: string
  readonly nonce: string
}

/** Such lanes of a network, at most `count`: its keys were used elsewhere, or a nonce was given away for nothing. The chain knows which. */
export async function passedOver(
  tx: Tx,
  network: string,
  count: number,
): Promise<readonly PassedOver[]> {
  return tx.query<PassedOver>(
    'doctor_passed_over',
    `select lane_address as address, max(before) as nonce from (
       select t.lane_address, t.nonce,
         lead(t.nonce, 1, l.next_nonce) over (partition by t.lane_address order by t.nonce) - 1 as before
       from chain_transactions t join lanes l on l.network = t.network and l.address = t.lane_address
       where t.network = $1) steps
     where before > nonce group by lane_address order by lane_address limit $2`,
    [network, count],
  )
}

/** What the books say an idle wallet has on chain, asset by asset; wallets with payments under way, or with what fills a nonce, are left out. */
export interface IdleWallet {
  readonly address: string
  readonly assets: readonly string[]
  /** Of each of the assets, base units. */
  readonly booked: readonly string[]
}

/** Such wallets in the order of their addresses, behind `after` (empty: from the first one on), at most `count`; or the one that is named. */
export async function idleWallets(
  tx: Tx,
  network: string,
  wanted: { readonly after: string; readonly count: number } | { readonly address: string },
): Promise<readonly IdleWallet[]> {
  const { after, count, address } = { after: '', count: 1, address: null, ...wanted }
  return tx.query<IdleWallet>(
    'doctor_idle_wallets',
    `select address, array_agg(asset order by asset) as assets, array_agg(booked order by asset) as booked
     from (
       select w.address, a.asset, sum(a.balance)::text as booked
       from ledger_accounts a join wallets w on w.id = a.wallet_id
       where a.network = $1 and a.kind in ('available', 'held') and w.address > $3 and ($4::text is null or w.address = $4)
         and not exists (select from payments p where p.wallet_id = w.id and p.network = $1
           and p.status in ('pending', 'confirmed'))
         and not exists (${openFillings('$1', 'w.address')})
       group by w.address, a.asset) books
     group by address order by address limit $2`,
    [network, count, after, address],
  )
}
