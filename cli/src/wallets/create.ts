import { createWallet } from '@florin/server/custody/create-wallet.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Run } from '../command.ts'
import { inWords } from '../keys/refusal.ts'
import { readArguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { keepNewWallet } from './keep-wallet.ts'
import { withWallets } from './open-custody.ts'
import { requireNetworkOf } from './require-network.ts'
import { labelFrom, walletView } from './wallet-view.ts'

const FAMILIES = ['evm', 'solana'] as const satisfies readonly Family[]

/** `florin wallets create`: a wallet with a new key. */
export const runWalletsCreate: Run = async ({ args, environment, print }) => {
  const given = readArguments(args, {
    flags: ['family', 'label', 'account'],
    switches: ['json'],
  })
  const family = FAMILIES.find((known) => known === given.flag('family'))
  if (family === undefined) throw new UsageError('--family must be evm or solana')
  const label = labelFrom(given.flag('label'))
  const wallet = await withWallets(environment, given.flag('account'), (work) =>
    inWords(
      (async () => {
        const { accountId } = work
        requireNetworkOf(family, work.networks)
        const custody = await work.custody()
        const fresh = await createWallet(custody, { accountId, family, label })
        await keepNewWallet({ ...work, custody }, fresh)
        return fresh
      })(),
    ),
  )
  print(given.has('json') ? `${JSON.stringify(walletView(wallet))}\n` : `${wallet.address}\n`)
  return 0
}
