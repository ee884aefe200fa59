import { dataPaths } from '@florin/cli/data-paths.ts'
import { readDatabaseFile } from '@florin/cli/database-file.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { openStore } from '@florin/server/store/postgres.ts'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import type { FlorinHandle } from '../actors/florin.ts'
import type { Truth } from './worker.ts'

/** The EVM chain and the database of an installation, asked past the service. */
export async function openTruth({
  dataDirectory,
  info,
}: Pick<FlorinHandle, 'dataDirectory' | 'info'>): Promise<Truth & { close(): Promise<void> }> {
  const { evm } = info.networks
  const chain = createPublicClient({ transport: http(evm.rpcUrl, { batch: true }) })
  const access = await readDatabaseFile(dataPaths(dataDirectory).database)
  if (access === undefined) throw new Error('there is no database.json')
  const store = openStore({ url: access.url, log: openLog('silent'), role: null })
  let statements = 0
  return {
    usdcOf: (address) =>
      chain.readContract({
        ...{ address: getAddress(evm.usdc), abi: erc20Abi, functionName: 'balanceOf' },
        args: [getAddress(address)],
      }),
    nativeOf: (address) => chain.getBalance({ address: getAddress(address) }),
    rows: <Row extends object>(text: string, values: readonly unknown[]) => {
      statements += 1
      return store.query<Row>(`truth_${statements}`, text, values)
    },
    close: () => store.close(),
  }
}
