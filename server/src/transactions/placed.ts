import type { Built, Preparation } from '../chains/self-custody.ts'
import type { Tx } from '../store/postgres.ts'
import { lockNonces, takeNonces } from './nonce-store.ts'
import type { NonceScope, WantedNonce } from './nonce-store.ts'

/** A build that needs a nonce, where its chain has them. */
export interface Unplaced {
  readonly scope: NonceScope
  readonly first: Built
  readonly preparation: Preparation
  readonly wanted: Omit<WantedNonce, 'first'>
}

/** The bytes, with a nonce that no other live build of the account and wallet has. Last, because others of the wallet wait for it. */
export async function placed(tx: Tx, unplaced: Unplaced): Promise<Built> {
  const [built] = await placedAll(tx, [unplaced])
  return built ?? unplaced.first
}

/** The same for several: first one of each wallet together, then the second of each, until all have theirs. */
export async function placedAll(tx: Tx, all: readonly Unplaced[]): Promise<readonly Built[]> {
  const built = new Map<Unplaced, Built>(all.map((each) => [each, each.first]))
  const needing = all.flatMap((each) =>
    each.first.nonce === null ? [] : [{ each, lowest: each.first.nonce }],
  )
  if (needing.length === 0) return [...built.values()]
  const byWallet = Map.groupBy(needing, ({ each: { scope } }) => nameOf(scope))
  await lockNonces(
    tx,
    needing.map(({ each: { scope } }) => scope),
  )
  const most = Math.max(...[...byWallet.values()].map((wallet) => wallet.length))
  for (let turn = 0; turn < most; turn += 1) {
    const now = [...byWallet.values()].flatMap((wallet) => wallet.slice(turn, turn + 1))
    const taken = await takeNonces(
      tx,
      now.map(({ each, lowest }) => ({ ...each.scope, ...each.wanted, first: lowest })),
    )
    for (const [index, { each, lowest }] of now.entries()) {
      const nonce = taken[index] ?? lowest
      if (nonce === lowest) continue
      const count = Number(nonce - lowest)
      const below = Array.from({ length: count }, (_, step) => lowest + BigInt(step))
      built.set(each, each.preparation.build(below))
    }
  }
  return all.map((each) => built.get(each) ?? each.first)
}

function nameOf({ accountId, network, sender }: NonceScope): string {
  return [accountId, network, sender].join(' ')
}
