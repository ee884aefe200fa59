import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Audit } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import { createWallet } from '../custody/create-wallet.ts'
import type { Custody } from '../custody/create-wallet.ts'
import { insertWallet, readWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { claimKeys } from '../idempotency/store.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'

/** The operation under which idempotency keys of new wallets are kept. */
const CREATE_OPERATION = 'createWallet'

export interface WalletOrder {
  readonly accountId: AccountId
  readonly actor: Actor
  readonly family: Family
  readonly label: string | null
  readonly idempotencyKey: string | undefined
}

/**
 * Makes and stores a wallet; with an idempotency key at most once, and then the answer is the first one's wallet.
 * The key is drawn before it is known whether it is needed: sealing may ask a remote KMS, outside any transaction.
 */
export async function makeWallet(
  { store, custody, audit }: { store: Store; custody: Custody; audit: Audit },
  { idempotencyKey, actor, ...order }: WalletOrder,
): Promise<{ readonly wallet: Wallet; readonly replayed: boolean }> {
  const { accountId, family, label } = order
  const fresh = await createWallet(custody, order)
  return store.inTransaction(accountId, async (tx) => {
    const claims =
      idempotencyKey === undefined
        ? []
        : [
            {
              accountId,
              operation: CREATE_OPERATION,
              key: idempotencyKey,
              fingerprint: fingerprint({ family, label }),
              resourceId: fresh.id,
            },
          ]
    const [claim = { kind: 'new' } as const] = await claimKeys(
      tx,
      claims,
      custody.clock.nowMilliseconds(),
    )
    switch (claim.kind) {
      case 'new': {
        await insertWallet(tx, custody.wrapper, fresh)
        const [action, { address }] = ['wallet.created', fresh]
        const details = { address, family, label }
        await audit.note(tx, { accountId, actor, action, object: fresh.id, details })
        return { wallet: fresh, replayed: false }
      }
      case 'mismatch':
        throw new Refusal('IDEMPOTENCY_MISMATCH')
      case 'replay': {
        const wallet = await readWallet(tx, accountId, claim.resourceId)
        if (wallet === undefined) throw new Error('an idempotency key names no wallet')
        return { wallet, replayed: true }
      }
      default:
        return claim satisfies never
    }
  })
}
