import type { Service } from '@florin/server/app.ts'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import { insertWallet, listWallets } from '@florin/server/custody/store.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import type { SandboxFile } from '../sandbox-file.ts'
import type { SandboxReady } from './sandbox-ready.ts'

const LABELS = ['sandbox 1', 'sandbox 2']

/** Two labelled wallets of the account on this sandbox. Those of another sandbox, whose chain is gone, stay as they are. */
export async function seedWallets(
  { store, custody }: Service,
  accountId: AccountId,
  { instance, evm }: SandboxReady,
): Promise<SandboxFile['wallets']> {
  const there = await store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
  const addressOf = async (label: string): Promise<string> => {
    const kept = there.find(
      (wallet) => wallet.label === label && wallet.sandboxInstance === instance,
    )
    if (kept !== undefined) return kept.address
    const wallet = await createWallet(custody, { accountId, family: 'evm', label })
    await store.inTransaction(accountId, (tx) => insertWallet(tx, wallet))
    return wallet.address
  }
  const wallets: SandboxFile['wallets'][number][] = []
  for (const label of LABELS) {
    const address = await addressOf(label)
    wallets.push({ address, family: 'evm', network: evm.network, label })
  }
  return wallets
}
