import type { AnvilClient } from './anvil-client.ts'

/** Runs creation code without a transaction: what it returns is the runtime code with its immutables filled in. */
export async function placeCode(
  client: AnvilClient,
  address: string,
  creation: string,
): Promise<void> {
  const runtime = await client.call('eth_call', [{ data: creation }, 'latest'])
  await client.call('anvil_setCode', [address, runtime])
}
