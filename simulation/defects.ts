import { salesDefects } from './sales-defects.ts'

/** A mistake that somebody could make, as exchanged pieces of source text. */
export interface Defect {
  readonly name: string
  /** A world that showed it, tried first: few worlds come upon what it takes. */
  readonly seed?: number
  /** Whether it takes a world with sales. */
  readonly inSales?: true
  readonly changes: readonly {
    /** Below server/src. */
    readonly module: string
    readonly from: string
    readonly to: string
  }[]
}

/** Does something in a transaction of its own once the nodes have answered a broadcast, for the hashes whose verdict is unknown. */
const afterUnknownVerdict = (sql: string) => ({
  module: 'sender/broadcast.ts',
  from: `killPoint('broadcast.after-node')`,
  to: `const unknown = committed.filter((_, index) => verdicts[index]?.kind === 'unknown')
      if (unknown.length > 0) await store.inTransaction('service', (tx) => tx.query('defect', \`${sql}\`,
        [unknown.map(({ hash }) => hash)]))`,
})
const PAYMENTS_OF_HASHES = `select pt.payment_id from payment_transactions pt
  join attempts a using (chain_transaction_id) where a.hash = any($1)`

/** What the simulation must find. Each stands for a mistake that services of this kind have made. */
export const defects: readonly Defect[] = [
  {
    name: 'a place is used again after an error of a node',
    changes: [
      afterUnknownVerdict(
        `update lanes set next_nonce = next_nonce - 1 where address in (select lane_address
         from chain_transactions t join attempts a on a.chain_transaction_id = t.id where a.hash = any($1))`,
      ),
    ],
  },
  {
    name: 'an unknown verdict is a failure',
    changes: [
      afterUnknownVerdict(
        `update payments set status = 'failed', failure = '{}' where id in (${PAYMENTS_OF_HASHES})`,
      ),
    ],
  },
  {
    name: 'an unknown verdict gives the budget back',
    changes: [
      afterUnknownVerdict(
        `update policy_spends set released_at = now() where payment_id in (${PAYMENTS_OF_HASHES})`,
      ),
    ],
  },
  {
    name: 'a look that failed found nothing',
    seed: 97,
    changes: [
      {
        module: 'sender/rebuild.ts',
        from: `await lifetimes.lookBack(living.map(({ hash }) => hash))`,
        to: `await lifetimes.lookBack(living.map(({ hash }) => hash)).catch(() => living.map(({ terms }) =>
          ['none', 'no other'].map((node) => ({ node, finalizedHeight: lifetimes.lifetimeOf(terms) + 1n, height: 0n, found: false }))))`,
      },
      // What every node calls over, and was read here up to there, is proof by itself.
      {
        module: 'sender/dead-attempts.ts',
        from: `return height !== undefined && height <= finalizedHeight`,
        to: `return height === undefined || height <= finalizedHeight || silent.length > 0`,
      },
    ],
  },
  {
    name: 'a lifetime is over before it is final',
    changes: [
      {
        module: 'sender/rebuild.ts',
        from: `return readAtLeast(look, finalizedHeight) > lifetimes.lifetimeOf(terms)`,
        to: `return true`,
      },
    ],
  },
  {
    name: 'one look of one node is proof',
    changes: [
      {
        module: 'sender/expiry-store.ts',
        from: "(count(distinct l.node) >= 2 or (${liesApart('$2', '$3')}))",
        to: '$2::numeric is not null and $3::bigint is not null and count(*) > 0',
      },
      // What was read here as final is proof by itself.
      {
        module: 'sender/rebuild.ts',
        from: `return ownHeight < height ? finalizedHeight - (height - ownHeight) : finalizedHeight`,
        to: `return ownHeight < height ? finalizedHeight : finalizedHeight`,
      },
    ],
  },
  {
    name: 'bytes leave before they are committed',
    changes: [
      {
        module: 'payments/send-queue.ts',
        from: `        sends,
      )
    })`,
        to: `        sends,
      )
      const signed = decisions.flatMap((one) => one.kind === 'committed' ? [one.signed] : [])
      await deps.broadcaster.broadcast(chain.config.network, signed)
    })`,
      },
    ],
  },
  {
    name: 'raised bytes leave before they are stored',
    changes: [
      {
        module: 'sender/next-attempt.ts',
        from: `const stored = await store.inTransaction(`,
        to: `await broadcaster.broadcast(network, [signed])
    const stored = await store.inTransaction(`,
      },
    ],
  },
  {
    name: 'a raised fee takes a new place',
    changes: [
      {
        module: 'sender/next-attempt.ts',
        from: `chain.sign(terms, attempt.nonce, signer)`,
        to: `chain.sign(terms, attempt.nonce + 1n, signer)`,
      },
    ],
  },
  {
    name: 'success is taken for an effect',
    changes: [
      {
        module: 'payments/find-effect.ts',
        from: `if (payment.asset === 'native') return { logIndex: null }`,
        to: `return { logIndex: null }`,
      },
    ],
  },
  {
    name: 'mined is taken for success',
    changes: [
      {
        module: 'payments/advance.ts',
        from: `if (!transaction.succeeded) {`,
        to: `if (false) {`,
      },
    ],
  },
  {
    name: 'settled before it is final',
    changes: [
      {
        module: 'sender/finalize.ts',
        from: `const height = await finalOnOurs(store, cursor, told)`,
        to: `const height = cursor.height`,
      },
    ],
  },
  {
    name: 'a final height of another branch counts',
    seed: 345,
    changes: [
      {
        module: 'sender/finalize.ts',
        from: `const height = await finalOnOurs(store, cursor, told)`,
        to: `const newest = told.at(-1)?.finalizedHeight ?? 0n
  const height = newest < cursor.height ? newest : cursor.height`,
      },
    ],
  },
  {
    name: 'a dead payment keeps its hold',
    changes: [
      {
        module: 'payments/advance.ts',
        from: `const closings = holds.map((hold) => closedDead(hold, before.get(hold.paymentId) ?? 0n))`,
        to: `const closings: LedgerTransfer[] = []`,
      },
    ],
  },
  {
    name: 'a hold is closed twice',
    changes: [
      {
        module: 'payments/advance.ts',
        from: `closings.push(post(hold, { moved, fee: hold.asset === 'native' ? fee : 0n }))`,
        to: `closings.push(post(hold, { moved, fee: hold.asset === 'native' ? fee : 0n }), release(hold))`,
      },
    ],
  },
  {
    name: 'fees are not booked',
    changes: [
      {
        module: 'payments/advance.ts',
        from: `fee: hold.asset === 'native' ? fee : 0n`,
        to: `fee: 0n`,
      },
    ],
  },
  {
    name: 'what a network takes above a hold is in nobody’s books',
    changes: [
      {
        module: 'payments/advance.ts',
        from: `closings.push(post(hold, { moved, fee: hold.asset === 'native' ? fee : 0n }))`,
        to: `const rest = hold.amount - moved
            closings.push(post(hold, { moved, fee: hold.asset !== 'native' ? 0n : fee < rest ? fee : rest }))`,
      },
    ],
  },
  {
    name: 'a reorg reopens nothing',
    changes: [
      {
        module: 'sender/roll-back-store.ts',
        from: `and state in ('mined', 'final') for no key update`,
        to: `and state = 'final' for no key update`,
      },
    ],
  },
  {
    name: 'the cursor moves ahead of the payments',
    changes: [
      {
        module: 'sender/follow.ts',
        from: `const next = await storeBlocks(tx, cursor, read.blocks)`,
        to: `const next = await store.inTransaction('service', (own) => storeBlocks(own, cursor, read.blocks))`,
      },
    ],
  },
  {
    name: 'an idempotency key is kept in a transaction of its own',
    changes: [
      {
        module: 'payments/commit-sends.ts',
        from: `import { claimKeys, giveKeysBack }`,
        to: `import { findKey, giveKeysBack }`,
      },
      {
        module: 'payments/commit-sends.ts',
        from: `const claims = await claimKeys(`,
        to: `const look = async (tx, claims) => {
    const found = []
    for (const claim of claims) found.push((await findKey(tx, claim)) ?? { kind: 'new' })
    return found
  }
  const claims = await look(`,
      },
      {
        module: 'payments/send-queue.ts',
        from: `import { commitSends } from './commit-sends.ts'`,
        to: `import { commitSends, SEND_OPERATION as operation } from './commit-sends.ts'
import { claimKeys } from '../idempotency/store.ts'`,
      },
      {
        module: 'payments/send-queue.ts',
        from: `if (decisions.some(({ kind }) => kind === 'committed')) killPoint('send.after-commit')`,
        to: `const claims = sends.flatMap(({ once, paymentId }, index) => once !== null && decisions[index].kind === 'committed'
    ? [{ accountId: wallet.accountId, operation, ...once, resourceId: paymentId }] : [])
  await store.inTransaction(wallet.accountId, (tx) => claimKeys(tx, claims, clock.nowMilliseconds()))`,
      },
    ],
  },
  {
    name: 'a refused request keeps its key',
    changes: [
      {
        module: 'payments/commit-sends.ts',
        from: `await giveKeysBack(tx, unused)`,
        to: ``,
      },
    ],
  },
  {
    name: 'a key answers whatever is asked',
    changes: [
      {
        module: 'idempotency/store.ts',
        from: `isOf(fingerprint, row.fingerprint)`,
        to: `true`,
      },
    ],
  },
  {
    name: 'a commit without an answer is taken for none',
    changes: [
      {
        module: 'payments/send-queue.ts',
        from: `if (payment === undefined) throw new NotCommitted()`,
        to: `throw new NotCommitted()`,
      },
    ],
  },
  {
    name: 'a commit without an answer is taken for done',
    changes: [
      {
        module: 'payments/send-queue.ts',
        from: `if (payment === undefined) throw new NotCommitted()`,
        to: ``,
      },
    ],
  },
  {
    name: 'a commit without an answer is tried again as another payment',
    changes: [
      {
        module: 'payments/send-queue.ts',
        from: `return await afterUnknownCommit(deps, chain, wallet, decisions, error)`,
        to: `throw error`,
      },
      {
        module: 'payments/carry.ts',
        from: `if (error instanceof CommitUnknown) throw new AfterCommit(send.paymentId, error)`,
        to: `if (error instanceof CommitUnknown) return deps.queue.submit(order.chain, wallet,
      { ...send, paymentId: newId(deps.random, 'pay') }, order.clientGone)`,
      },
    ],
  },
  {
    name: 'bytes that nobody has heard of are not sent again',
    seed: 297,
    changes: [
      {
        module: 'sender/transaction-store.ts',
        from: `(a.last_sent_at is null or a.last_sent_at < to_timestamp($2 / 1000.0)`,
        to: `(a.last_sent_at < to_timestamp($2 / 1000.0)`,
      },
    ],
  },
  {
    name: 'the lane is not locked',
    changes: [
      {
        module: 'sender/lane-store.ts',
        from: `where network = $1 and address = $2 for update`,
        to: `where network = $1 and address = $2`,
      },
    ],
  },
  {
    name: 'an old lease may write',
    seed: 191,
    changes: [
      {
        module: 'sender/follower-store.ts',
        from: `where network = $1 and fence = $2 returning network`,
        to: `where network = $1 and $2::bigint > 0 returning network`,
      },
    ],
  },
  {
    name: 'a hold leaves the fee out',
    changes: [
      {
        module: 'payments/hold.ts',
        from: `const inNative = native ? amount + ceiling : ceiling`,
        to: `const inNative = native ? amount : ceiling`,
      },
    ],
  },
  {
    name: 'a deposit is recorded again when it is seen again',
    changes: [
      {
        module: 'payments/deposits.ts',
        from: `const known = records[occurrence]`,
        to: `const known = undefined`,
      },
    ],
  },
  ...salesDefects,
]
