import { dataPaths } from '@florin/cli/data-paths.ts'
import { readDatabaseFile } from '@florin/cli/database-file.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import type { Secret } from '@florin/server/kernel/secret.ts'
import { openStore } from '@florin/server/store/postgres.ts'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { codeOf, openClient } from './client.ts'
import { runFlorin } from './florin.ts'
import type { FlorinHandle } from './florin.ts'
import type { Entry, Journal } from './journal.ts'
import { solanaBalance } from './solana-client.ts'

const AT_ONCE = 100

/**
 * Holds a journal whose payments are all settled against the database, the chain, the service's own answers and the doctor.
 * What is wrong goes into the journal.
 */
export async function audit(florin: FlorinHandle, journal: Journal): Promise<void> {
  await checkDatabase(florin, journal)
  await checkChain(florin, journal)
  await checkRepeats(florin, journal)
  const doctor = await runFlorin(['doctor', '--json'], florin.dataDirectory)
  if (doctor.code !== 0) journal.break(null, `florin doctor: ${doctor.stdout}${doctor.stderr}`)
}

/** One payment per key, and none that nobody asked for. */
async function checkDatabase({ dataDirectory }: FlorinHandle, journal: Journal): Promise<void> {
  const access = await readDatabaseFile(dataPaths(dataDirectory).database)
  if (access === undefined) throw new Error('there is no database.json')
  const rows = await paymentsOf(access.url)
  const byRecipient = Map.groupBy(rows, ({ recipient }) => recipient.toLowerCase())
  for (const entry of journal.entries) {
    const found = byRecipient.get(entry.recipient.toLowerCase()) ?? []
    const [only] = found
    const isOnce = found.length === 1 && only?.key === entry.key && only.id === entry.paymentId
    if (!isOnce || only.status !== 'settled') {
      journal.break(entry, `the database has for it ${JSON.stringify(found)}`)
    }
  }
  if (rows.length !== journal.entries.length) {
    journal.break(null, `${journal.entries.length} were asked for, ${rows.length} are stored`)
  }
}

async function paymentsOf(url: Secret) {
  const store = openStore({ url, log: openLog('silent') })
  try {
    return await store.inTransaction('service', (tx) =>
      tx.query<{ id: string; recipient: string; status: string; key: string | null }>(
        'audit_payments',
        `select p.id, p.recipient, p.status, k.key from payments p
         left join idempotency_keys k on k.resource_id = p.id where p.type = 'sent'`,
      ),
    )
  } finally {
    await store.close()
  }
}

/** What is there was paid exactly once: the recipient has nothing from anybody else. */
async function checkChain({ info }: FlorinHandle, journal: Journal): Promise<void> {
  const { evm, solana } = info.networks
  const chain = createPublicClient({ transport: http(evm.rpcUrl, { batch: true }) })
  const token = { address: getAddress(evm.usdc), abi: erc20Abi } as const
  const balanceOf = async ({ family, asset, recipient }: Entry): Promise<bigint> => {
    if (family === 'solana') return await solanaBalance(solana, recipient, asset)
    const address = getAddress(recipient)
    if (asset === 'native') return await chain.getBalance({ address })
    return await chain.readContract({ ...token, functionName: 'balanceOf', args: [address] })
  }
  await atOnce(journal.entries, async (entry) => {
    const balance = await balanceOf(entry)
    if (balance !== entry.amountBaseUnits) {
      journal.break(entry, `its recipient has ${balance} instead of ${entry.amountBaseUnits}`)
    }
  })
}

/** The same request once more gives the same payment, and a look at it gives the same, too. */
async function checkRepeats({ info }: FlorinHandle, journal: Journal): Promise<void> {
  const client = openClient(info.baseUrl, info.apiKeys.enterprise)
  await atOnce(journal.entries, async (entry) => {
    const reply = await client.post('/payment/send', entry.order, { 'idempotency-key': entry.key })
    const isSame = reply.body['paymentId'] === entry.paymentId && reply.body['status'] === 'settled'
    if (!isSame || reply.headers.get('idempotent-replayed') !== 'true') {
      journal.break(entry, `repeated at the end: ${reply.status} ${String(codeOf(reply))}`)
    }
  })
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work))
  }
}
