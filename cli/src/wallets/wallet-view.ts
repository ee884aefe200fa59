import type { Wallet } from '@florin/server/custody/wallet.ts'
import { UsageError } from '../usage-error.ts'

const LABEL_CHARACTERS_MAX = 100

/** A wallet as `--json` shows it: nothing of its sealed key. */
export function walletView({ id, family, address, label, createdAtMilliseconds }: Wallet): object {
  return { id, family, address, label, createdAt: createdAtMilliseconds }
}

/** A label as a person gave it, or null. */
export function labelFrom(text: string | undefined): string | null {
  const label = text?.trim() ?? ''
  if (label.length > LABEL_CHARACTERS_MAX || /\p{Cc}/u.test(label)) {
    throw new UsageError(`--label must be at most ${LABEL_CHARACTERS_MAX} visible characters`)
  }
  return label === '' ? null : label
}
