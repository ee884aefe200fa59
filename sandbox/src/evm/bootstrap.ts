import { concatHex, encodeAbiParameters, numberToHex, parseEther } from 'viem/utils'
import { privateKeyToAddress } from 'viem/accounts'
import type { AnvilClient } from './anvil-client.ts'
import { MULTICALL3_CREATION, SANDBOX_USDC_CREATION } from './artifact.ts'
import { MULTICALL3_ADDRESS, USDC_ADDRESS } from './chain-facts.ts'
import type { Identity } from './identity.ts'

/** Reads at `finalized` look two blocks back, so a chain needs these on top of what it loaded or was born with. */
export const BLOCKS_UNTIL_FINAL = 2
const FAUCET_FUNDS_WEI = parseEther('1000000000000')

/** Puts token, Multicall3 and the faucet's funds on a new chain. */
export async function bootstrap(client: AnvilClient, identity: Identity): Promise<void> {
  const faucet = privateKeyToAddress(identity.faucetKey)
  const minter = encodeAbiParameters([{ type: 'address' }], [faucet])
  await client.call('anvil_setBalance', [faucet, numberToHex(FAUCET_FUNDS_WEI)])
  await place(client, USDC_ADDRESS, concatHex([SANDBOX_USDC_CREATION, minter]))
  await place(client, MULTICALL3_ADDRESS, MULTICALL3_CREATION)
  for (let block = 0; block <= BLOCKS_UNTIL_FINAL; block += 1) await client.call('evm_mine')
}

/** Runs creation code without a transaction: what it returns is the runtime code with its immutables filled in. */
async function place(client: AnvilClient, address: string, creation: string): Promise<void> {
  const runtime = await client.call('eth_call', [{ data: creation }, 'latest'])
  await client.call('anvil_setCode', [address, runtime])
}
