import type { Defect } from './defects.ts'

/** Mistakes that take a world with sales to show. */
export const salesDefects: readonly Defect[] = [
  {
    name: 'a success is told to whoever asks',
    inSales: true,
    changes: [
      {
        module: 'facilitator/claim-store.ts',
        from: `where payment_id = any($1) and answered_at is null`,
        to: `where payment_id = any($1)`,
      },
      {
        module: 'facilitator/join.ts',
        from: `if (isAnswered && once === null) {`,
        to: `if (false) {`,
      },
    ],
  },
  {
    name: 'a success that was heard is taken back',
    inSales: true,
    changes: [
      {
        module: 'facilitator/routes.ts',
        from: `return { ...answer, undelivered }`,
        to: `undelivered()
      return answer`,
      },
    ],
  },
  {
    name: 'a settlement that reverted is a failed payment',
    inSales: true,
    changes: [
      {
        module: 'payments/advance.ts',
        from: `return type === 'received' && (status !== 'confirmed' || transactionHash !== hash)`,
        to: `return type === 'received' && status === 'confirmed' && transactionHash !== hash`,
      },
    ],
  },
  {
    name: 'an authorization that is not used yet is over',
    inSales: true,
    seed: 1_000_045,
    changes: [
      {
        module: 'facilitator/watch.ts',
        from: `if (final === 'open' && !isUsed) return 'open'`,
        to: `if (final === 'open' && !isUsed) {
    await store.inTransaction('service', (tx) => records.expired(tx, [claim.paymentId]))
    return 'open'
  }`,
      },
    ],
  },
  {
    name: 'nobody looks who else has settled',
    inSales: true,
    seed: 1_000_402,
    changes: [
      {
        module: 'facilitator/watch.ts',
        from: `const find = () => exact.findForeign(authorization, claim.sinceHeight)`,
        to: `const find = async () => undefined`,
      },
    ],
  },
  {
    name: 'whoever shares a transaction is taken for paid by it',
    inSales: true,
    seed: 1_000_111,
    changes: [
      {
        module: 'payments/find-effect.ts',
        from: `asset === payment.asset && from === payment.sender,`,
        to: `asset === payment.asset && (payment.type === 'received' || from === payment.sender),`,
      },
      {
        module: 'payments/find-effect.ts',
        from: `given.filter(({ to }) => to === payment.recipient)`,
        to: `given`,
      },
      {
        module: 'payments/find-effect.ts',
        from: `({ amount }: TokenTransfer) => amount === payment.amount`,
        to: `({ amount }: TokenTransfer) => payment.type === 'received' || amount === payment.amount`,
      },
    ],
  },
  {
    name: 'a settlement leaves before it is committed',
    inSales: true,
    changes: [
      {
        module: 'facilitator/claim-queue.ts',
        from: `const signer = await deps.signerFor(settler, chain.config)`,
        to: `const early = await Promise.all(orders.map(({ draft }, index) =>
    chain.sign(draft.terms, draft.laneLatest + BigInt(index), undefined)))
  await chain.broadcast(early.map(({ raw }) => raw))
  const signer = await deps.signerFor(settler, chain.config)`,
      },
    ],
  },
]
