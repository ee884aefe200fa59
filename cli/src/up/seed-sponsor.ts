import { createWallet } from '@florin/server/custody/create-wallet.ts'
import { insertWallet, listWallets } from '@florin/server/custody/store.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { withOwnService } from './run-service.ts'
import { sandboxNetworks } from './sandbox-network.ts'
import type { SandboxReady } from './sandbox-ready.ts'
import { openSandboxAccount } from './seed-keys.ts'
import { seedWallets } from './seed-wallets.ts'
import type { Workshop } from './workshop.ts'

const LABEL = 'sandbox approvals'

/**
 * The sandbox with a wallet that gives payers the gas for an approval. A network's configuration names it, so it is made before the service that
 * runs by that; other commands find it where they find the sandbox.
 */
export async function seedSponsor(
  workshop: Workshop,
  { database, sandbox }: { database: Secret; sandbox: SandboxReady },
): Promise<SandboxReady> {
  const networks = sandboxNetworks(sandbox)
  const approvalWallet = await withOwnService(workshop, networks, database, async (service) => {
    const { store, custody } = service
    const accountId = await openSandboxAccount(service)
    // Those for everybody come first: commands that are told no wallet take the first one.
    await seedWallets(service, accountId, sandbox)
    const there = await store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
    const kept = there.find(
      ({ label, sandboxInstance }) => label === LABEL && sandboxInstance === sandbox.instance,
    )
    if (kept !== undefined) return kept.address
    const wallet = await createWallet(custody, { accountId, family: 'evm', label: LABEL })
    await store.inTransaction(accountId, (tx) => insertWallet(tx, custody.wrapper, wallet))
    return wallet.address
  })
  return { ...sandbox, evm: { ...sandbox.evm, approvalWallet } }
}
