import { parseAddress as parseEvmAddress } from '@florin/server/chains/evm/account.ts'
import { parseAddress as parseSolanaAddress } from '@florin/server/chains/solana/account.ts'
import type { BroughtBack } from '@florin/server/custody/bring-back-wallet.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Run } from '../command.ts'
import { inWords } from '../keys/refusal.ts'
import { readArguments } from '../read-arguments.ts'
import { CommandFailed, UsageError } from '../usage-error.ts'
import { keepBroughtBack } from './keep-wallet.ts'
import { withWallets } from './open-custody.ts'
import { walletView } from './wallet-view.ts'

/** `florin wallets restore`: shows a deleted wallet to its account again, so that what arrived there since can be paid out. */
export const runWalletsRestore: Run = async ({ args, environment, print, note }) => {
  const given = readArguments(args, { switches: ['json'], positionals: ['ADDRESS'] })
  const text = given.positionals[0] ?? ''
  const place = placeOf(text)
  const { wallet, was } = await withWallets(environment, undefined, (books) =>
    inWords(
      keepBroughtBack(books, place).catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
        throw new CommandFailed(
          `no wallet of this installation has the address ${place.address}; "florin wallets list --deleted" shows the deleted ones`,
        )
      }),
    ),
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

function placeOf(text: string): { readonly family: 'evm' | 'solana'; readonly address: string } {
  const evm = parseEvmAddress(text)
  if (evm !== undefined) return { family: 'evm', address: evm }
  const solana = parseSolanaAddress(text)
  if (solana !== undefined) return { family: 'solana', address: solana }
  throw new UsageError(`"${text}" is not an address`)
}
