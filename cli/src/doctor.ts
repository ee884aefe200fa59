import { connectChain } from '@florin/server/chains/connect.ts'
import type { LookAt } from '@florin/server/doctor/look-at.ts'
import { diagnose } from '@florin/server/doctor/run.ts'
import { unsettledNetworks, wordsOfUnsettled } from '@florin/server/facilitator/unsettled.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { gaveUp, openStore, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Run } from './command.ts'
import { configOrFail, findReadyDatabase } from './find-database.ts'
import { networksOf } from './networks-of.ts'
import { readArguments } from './read-arguments.ts'
import { table } from './table.ts'
import { CommandFailed } from './usage-error.ts'

/** With a database of its own the networks are wherever FLORIN_NETWORKS says: without it no chain is asked, and nothing is known of any. */
const NO_NETWORK =
  'no network is configured here, so only the database was looked at: set FLORIN_NETWORKS to the networks file of the service.'

/**
 * `florin doctor`: holds database and chains against every invariant, and names what waits for a person. Changes nothing; exit
 * code 1 unless all is known and sound, and nothing waits.
 */
export const runDoctor: Run = async ({ args, environment, print }) => {
  const json = readArguments(args, { switches: ['json'] }).has('json')
  const config = configOrFail(environment)
  const database = await findReadyDatabase(config)
  const log = openLog('silent')
  const networks = await networksOf(config, database)
  const chains = networks.map((network) =>
    connectChain({ config: network, log, clock: systemClock }),
  )
  const store = openStore({
    url: database.url,
    log,
    statementSeconds: limits.doctorStatementSeconds,
  })
  try {
    const diagnosis = await diagnose({ store, chains, clock: systemClock })
    const unsettled = await unsettledNetworks(store, networks)
    const { findings, notTaken, clocks, lookAt } = diagnosis
    const unasked = networks.length === 0 ? [NO_NETWORK] : diagnosis.unasked
    if (json) print(`${JSON.stringify({ ...diagnosis, unasked, unsettled })}\n`)
    else {
      if (findings.length === 0) print('Every invariant holds in what could be asked.\n')
      else
        print(
          table([['BROKEN', 'SUBJECT'], ...findings.map((row) => [row.invariant, row.subject])]),
        )
      for (const reason of unasked)
        print(`not known, because the chain could not be asked: ${reason}\n`)
      for (const reason of notTaken) print(`configured and not taken: ${reason}\n`)
      for (const network of unsettled) print(`not settled: ${wordsOfUnsettled(network)}\n`)
      for (const reason of clocks) print(`the clock is off: ${reason}\n`)
      if (lookAt.length > 0) print(foundTable(lookAt))
    }
    // Whoever only pays has nothing to mend there.
    const waiting = [findings, unasked, notTaken, clocks, lookAt]
    return waiting.every(({ length }) => length === 0) ? 0 : 1
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CommandFailed(
      gaveUp(error)
        ? 'the database is there and took too long. Run it again when less is going on.'
        : 'the database cannot be reached. Is it running?',
      { cause: error },
    )
  } finally {
    await store.close()
  }
}

function foundTable(places: readonly LookAt[]): string {
  const heading =
    'Look at these: a node has them in its history and no followed block has them, or no node tells what they moved. They stay pending until a node tells them; a deposit is recorded then.\n'
  const rows = places.map(({ network, address, nonce, hash, nodes, since }) => [
    network,
    address,
    nonce,
    hash,
    nodes.join(' '),
    since,
  ])
  return heading + table([['NETWORK', 'ADDRESS', 'NONCE', 'HASH', 'FOUND BY', 'SINCE'], ...rows])
}
