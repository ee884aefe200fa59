import type { BroughtBack } from '@florin/server/custody/bring-back-wallet.ts'
import type { Run } from '../command.ts'
import { inWords } from '../keys/refusal.ts'
import { readArguments } from '../read-arguments.ts'
import { keepBroughtBack } from './keep-wallet.ts'
import { withWallets } from './open-custody.ts'
import { placeOf, tellAbsent } from './place-of.ts'
import { walletView } from './wallet-view.ts'

/** `florin wallets restore`: shows a deleted wallet to its account again, so that what arrived there since can be paid out. */
export const runWalletsRestore: Run = async ({ args, environment, print, note }) => {
  const given = readArguments(args, { switches: ['json'], positionals: ['ADDRESS'] })
  const text = given.positionals[0] ?? ''
  const place = placeOf(text)
  const { wallet, was } = await withWallets(environment, undefined, (books) =>
    inWords(keepBroughtBack(books, place).catch((error: unknown) => tellAbsent(error, place))),
  )
  const { accountId } = wallet
  print(
    given.has('json')
      ? `${JSON.stringify({ ...walletView(wallet), accountId, was })}\n`
      : `${wallet.address}\n`,
  )
  note(`${SAID[was]} ${wallet.id} of ${accountId}.\n`)
  return 0
}

const SAID = {
  there: 'This wallet was not deleted: it is',
  restored: 'Its account sees it again, as',
} as const satisfies Record<BroughtBack['was'], string>
