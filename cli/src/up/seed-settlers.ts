import type { Service } from '@florin/server/app.ts'
import { createAccount } from '@florin/server/access/create-account.ts'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import { insertWallet } from '@florin/server/custody/store.ts'
import { appointSettler } from '@florin/server/facilitator/settler-store.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import type { Family } from '@florin/wire/network.ts'
import type { SandboxFile } from '../sandbox-file.ts'
import type { SeededSandbox } from './seed-wallets.ts'

/** Two keys settle more at once than one, and show that sellers take any of them. */
const KEYS_PER_FAMILY = 2
const OWNERS: Readonly<Record<Family, string>> = {
  evm: 'x402 facilitator (EVM)',
  solana: 'x402 facilitator (Solana)',
}

/** The keys that pay for settlements on the chains of this sandbox, made when there are none, under an account for each family. */
export async function seedSettlers(
  { store, custody, settlers }: Pick<Service, 'store' | 'custody' | 'settlers'>,
  { clock, random }: { clock: Clock; random: Random },
  { evm, solana }: SeededSandbox,
): Promise<SandboxFile['wallets']> {
  await settlers.refresh()
  const seeded: SandboxFile['wallets'][number][] = []
  const chains: readonly (readonly [Family, { readonly network: string } | undefined])[] = [
    ['evm', evm],
    ['solana', solana],
  ]
  for (const [family, chain] of chains) {
    if (chain === undefined) continue
    const missing = KEYS_PER_FAMILY - settlers.of(family).length
    if (missing > 0) {
      const { accountId } = await createAccount({ store, clock, random }, OWNERS[family])
      for (let made = 0; made < missing; made += 1) {
        const label = `settles ${made + 1}`
        const wallet = await createWallet(custody, { accountId, family, label })
        await store.inTransaction('service', async (tx) => {
          await insertWallet(tx, custody.wrapper, wallet)
          await appointSettler(tx, wallet.id, clock.nowMilliseconds())
        })
      }
      await settlers.refresh()
    }
    for (const { address, label } of settlers.of(family)) {
      seeded.push({ address, family, network: chain.network, label: label ?? '' })
    }
  }
  return seeded
}
