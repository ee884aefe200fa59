import type { Service } from '@florin/server/app.ts'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import { insertWallet, listWallets } from '@florin/server/custody/store.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import type { Family } from '@florin/wire/network.ts'
import type { SandboxFile } from '../sandbox-file.ts'
import type { SandboxReady } from './sandbox-ready.ts'

const LABELS: Readonly<Record<Family, readonly string[]>> = {
  evm: ['sandbox 1', 'sandbox 2'],
  solana: ['sandbox solana 1', 'sandbox solana 2'],
}

/** A sandbox to make wallets on; without a Solana chain there are none of that family. */
export type SeededSandbox = Pick<SandboxReady, 'instance' | 'evm'> &
  Partial<Pick<SandboxReady, 'solana'>>

/** Two labelled wallets of the account on each chain of this sandbox. Those of another sandbox, whose chain is gone, stay as they are. */
export async function seedWallets(
  { store, custody }: Service,
  accountId: AccountId,
  { instance, evm, solana }: SeededSandbox,
): Promise<SandboxFile['wallets']> {
  const there = await store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
  const addressOf = async (family: Family, label: string): Promise<string> => {
    const kept = there.find(
      (wallet) => wallet.label === label && wallet.sandboxInstance === instance,
    )
    if (kept !== undefined) return kept.address
    const wallet = await createWallet(custody, { accountId, family, label })
    await store.inTransaction(accountId, (tx) => insertWallet(tx, custody.wrapper, wallet))
    return wallet.address
  }
  const wallets: SandboxFile['wallets'][number][] = []
  for (const [family, chain] of [
    ['evm', evm],
    ['solana', solana],
  ] as const) {
    if (chain === undefined) continue
    for (const label of LABELS[family]) {
      const address = await addressOf(family, label)
      wallets.push({ address, family, network: chain.network, label })
    }
  }
  return wallets
}
