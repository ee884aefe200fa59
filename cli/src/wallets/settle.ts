import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import type { Run } from '../command.ts'
import { inWords } from '../keys/refusal.ts'
import { readArguments } from '../read-arguments.ts'
import { keepSettler } from './keep-wallet.ts'
import { withWallets } from './open-custody.ts'
import { placeOf, tellAbsent } from './place-of.ts'
import { walletView } from './wallet-view.ts'

/** `florin wallets settle`: makes a wallet one that pays for settlements of x402, or with `--retire` takes it out again. */
export const runWalletsSettle: Run = async ({ args, environment, print, note }) => {
  const given = readArguments(args, { switches: ['retire', 'json'], positionals: ['ADDRESS'] })
  const place = placeOf(given.positionals[0] ?? '')
  const settles = !given.has('retire')
  const { wallet, isChanged } = await withWallets(environment, undefined, (books) =>
    inWords(
      keepSettler({ ...books, clock }, place, settles).catch((error: unknown) =>
        tellAbsent(error, place),
      ),
    ),
  )
  const { accountId, address } = wallet
  print(
    given.has('json')
      ? `${JSON.stringify({ ...walletView(wallet), accountId, settles, isChanged })}\n`
      : `${address}\n`,
  )
  note(SAID[`${settles}`][`${isChanged}`])
  if (settles)
    note(
      `It pays the gas: keep native currency there. Keys of ${accountId} that may pay can spend it.\n`,
    )
  return 0
}

const SAID = {
  true: {
    true: 'Settles from now on; running instances know within 10 seconds.\n',
    false: 'It settles already.\n',
  },
  false: {
    true: 'Settles no more; running instances know within 10 seconds. Sellers on Solana that named it have to be started anew.\n',
    false: 'It was none that settles.\n',
  },
} as const
