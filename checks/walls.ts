import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'

/**
 * Files, and rooms, that read outside a transaction, and so of every account, each with the reason. Inside a transaction the database
 * itself shows an account nothing of another; here only the statement's own words do.
 */
const SEES_EVERY_ACCOUNT: Readonly<Record<string, string>> = {
  'server/src/access/': 'asks whose a key is before anybody knows',
  'server/src/people/': 'asks whose a session is before anybody knows',
  'server/src/app.ts': 'hands over reads that callers of several accounts share',
  'server/src/events/relay-store.ts': 'the outbox of all accounts',
  'server/src/sender/finalize.ts': 'blocks that were followed, which are nobody’s',
  'server/src/sender/follow.ts': 'whose the transactions of a block are',
  'server/src/sender/read-deposits.ts': 'whose the addresses of a block are',
  'server/src/sender/read-sightings.ts': 'whether anybody’s build is looked for',
  'server/src/custody/known-receivers.ts':
    'whose a receiving address is, for several callers at once',
  'server/src/facilitator/escrow-looks-store.ts':
    'calls to an escrow for several callers at once, which whoever asks holds against its account',
  'server/src/facilitator/verify.ts': 'whose a receiving address is',
  'server/src/payments/routes.ts': 'wallets for several callers at once, each with its account',
  'server/src/open-trading.ts': 'wallets for several callers at once, each with its account',
  'server/src/payments/carry.ts': 'idempotency keys, each with its account',
  'server/src/payments/status-store.ts':
    'payments for several callers at once, each with its account',
  'server/src/transactions/build-transaction.ts': 'idempotency keys, each with its account',
  'server/src/transactions/receive-transaction.ts': 'idempotency keys, each with its account',
  'server/src/transactions/submit.ts': 'idempotency keys, each with its account',
}

const DEFINED = /export (?:async )?function (\w+)(?:<[^(]*>)?\(\s*(\w+):/g
const CALLED = /\b(\w+)\(\s*(?:\w+\.)*store,/g
/** A method that takes a store first, as those of a book take a transaction. */
const HANDED_OVER = /\.\w+\(\s*(?:\w+\.)*store,/

/** Functions of store files that want a transaction: `tx` comes first. */
function wantTransaction(files: readonly SourceFile[]): ReadonlySet<string> {
  const stores = files.filter(({ path }) => /(^|[/-])(store|sql)\.ts$/.test(path))
  return new Set(
    stores.flatMap(({ text }) =>
      [...text.matchAll(DEFINED)].flatMap(([, name = '', first]) => (first === 'tx' ? [name] : [])),
    ),
  )
}

/** Production files that read outside a transaction: by a store's own `query`, or by handing a store over as a transaction. */
function readersOfEveryAccount(files: readonly SourceFile[]): readonly string[] {
  const code = files.filter(
    (file) =>
      isCode(file) &&
      !isTest(file) &&
      /^(server|cli)\/src\//.test(file.path) &&
      !file.path.startsWith('server/src/store/'),
  )
  const wanted = wantTransaction(code)
  return code
    .filter(
      ({ text }) =>
        /\bstore\.query[<(]/.test(text) ||
        HANDED_OVER.test(text) ||
        [...text.matchAll(CALLED)].some(([, name = '']) => wanted.has(name)),
    )
    .map(({ path }) => path)
}

/** Readers that the list does not know, and names on it that read nothing so. */
export function wallProblems(
  files: readonly SourceFile[],
  known: Readonly<Record<string, string>> = SEES_EVERY_ACCOUNT,
): readonly string[] {
  const found = readersOfEveryAccount(files)
  const names = Object.keys(known)
  return [
    ...found
      .filter((path) => !names.some((name) => path.startsWith(name)))
      .map((path) => `${path} reads outside a transaction, where no wall stands`),
    ...names
      .filter((name) => !found.some((path) => path.startsWith(name)))
      .map((path) => `${path} reads nothing outside a transaction`),
  ]
}
