import { connectChain } from '@florin/server/chains/connect.ts'
import type { ImportedWallet, ImportOrder } from '@florin/server/custody/import-wallet.ts'
import { findWallet } from '@florin/server/custody/store.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { followerStandings } from '@florin/server/sender/halt-store.ts'
import { moveIdleLane } from '@florin/server/sender/lane-store.ts'
import type { LaneState } from '@florin/server/sender/lane-store.ts'
import type { Run } from '../command.ts'
import { inWords } from '../keys/refusal.ts'
import { readArguments } from '../read-arguments.ts'
import type { Arguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { keepImported } from './keep-wallet.ts'
import { withWallets } from './open-custody.ts'
import type { WalletWork } from './open-custody.ts'
import { readKey } from './read-key.ts'
import { requireAtRest } from './use-elsewhere.ts'
import { requireNetworkOf } from './require-network.ts'
import { labelFrom, walletView } from './wallet-view.ts'

/** `florin wallets import`: seals a private key from standard input as a wallet of the account. The key is never printed. */
export const runWalletsImport: Run = async ({ args, environment, print, note }) => {
  const given = readOwnArguments(args)
  const label = labelFrom(given.flag('label'))
  const key = await readKey(process.stdin)
  const { family, privateKey } = key
  try {
    const { imported, lanes } = await withWallets(environment, given.flag('account'), (work) =>
      inWords(importInto(work, { family, label, privateKey })),
    )
    const { wallet, was } = imported
    print(
      given.has('json')
        ? `${JSON.stringify({ ...walletView(wallet), was, lanes: Object.fromEntries(lanes) })}\n`
        : `${wallet.address}\n`,
    )
    note(`${SAID[was]} ${wallet.id}.\n`)
    for (const [network, state] of lanes) {
      const said = LANE_SAID[state]
      if (said !== undefined) note(`${network}: ${said}\n`)
    }
    note('From now on nothing else may sign with this key.\n')
    return 0
  } finally {
    privateKey.erase()
  }
}

const SAID = {
  new: 'Imported as',
  there: 'This key is there already, as',
  restored: 'This key was there and deleted; it is back as',
} as const satisfies Record<ImportedWallet['was'], string>

const LANE_SAID: Readonly<Partial<Record<LaneState, string>>> = {
  moved: 'the key was used elsewhere meanwhile; its lane goes on where the chain is',
  busy: 'payments of this wallet are under way and the key was used elsewhere: its lane may freeze',
  frozen: 'its lane is frozen, because the key was used elsewhere while payments were under way',
}

/** What was mistyped is not repeated: it may be the key. */
function readOwnArguments(args: readonly string[]): Arguments {
  try {
    return readArguments(args, { flags: ['label', 'account'], switches: ['json'] })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(
      'only --label, --account and --json are taken; a key on the command line is seen by everybody on this machine, so it comes from standard input: florin wallets import < key.txt',
    )
  }
}

async function importInto(
  { store, audit, accountId, networks, custody }: WalletWork,
  order: Omit<ImportOrder, 'accountId'>,
): Promise<{ imported: ImportedWallet; lanes: ReadonlyMap<string, LaneState> }> {
  requireNetworkOf(order.family, networks)
  const opened = await custody()
  const scheme = opened.schemes.find(({ family }) => family === order.family)
  const chains = networks
    .filter(({ family }) => family === order.family)
    .map((config) => connectChain({ config, log: openLog('silent'), clock: systemClock }))
  if (scheme === undefined) throw new Error(`nobody knows keys of ${order.family}`)
  const address = scheme.addressOf(order.privateKey)
  const there = await store.inTransaction(accountId, (tx) =>
    findWallet(tx, accountId, order.family, address),
  )
  // Its own payments may be under way, and what the key did before was looked at then.
  const read = await store.inTransaction('service', followerStandings)
  const used = there === undefined ? await requireAtRest(chains, address, read) : []
  const imported = await keepImported({ store, audit, custody: opened }, { ...order, accountId })
  const lanes = new Map<string, LaneState>()
  for (const { network, usedUp } of used) {
    const state = await store.inTransaction('service', (tx) =>
      moveIdleLane(tx, network, imported.wallet.address, usedUp),
    )
    lanes.set(network, state)
  }
  return { imported, lanes }
}
