import { asFields } from '../small-json.ts'
import type { SandboxReady } from './sandbox-ready.ts'

const CALL_SECONDS = 30
/** balanceOf(address), ERC-20. */
const BALANCE_OF = '0x70a08231'

/** What a wallet is filled up with, in whole units, once it holds less than `low` base units: enough for many payments of 100. */
const GIFTS = [
  { asset: 'native', amount: '1000', low: 200n * 10n ** 18n },
  { asset: 'USDC', amount: '100000', low: 10_000n * 10n ** 6n },
] as const

/** Fills up wallets that hold little, through the same faucet that everybody may use. */
export async function fundWallets(
  sandbox: SandboxReady,
  addresses: readonly string[],
): Promise<void> {
  await Promise.all(
    addresses.flatMap((address) =>
      GIFTS.map(async ({ asset, amount, low }) => {
        if ((await balance(sandbox, address, asset)) >= low) return
        const { network } = sandbox.evm
        const answer = await post(sandbox.faucetUrl, { address, network, asset, amount })
        if (answer?.get('success') !== true) throw new Error(`the faucet did not fund ${address}`)
      }),
    ),
  )
}

async function balance(
  { evm }: SandboxReady,
  address: string,
  asset: 'native' | 'USDC',
): Promise<bigint> {
  const data = `${BALANCE_OF}${address.slice(2).toLowerCase().padStart(64, '0')}`
  const call =
    asset === 'native'
      ? { method: 'eth_getBalance', params: [address, 'latest'] }
      : { method: 'eth_call', params: [{ to: evm.usdc, data }, 'latest'] }
  const result = (await post(evm.rpcUrl, { jsonrpc: '2.0', id: 1, ...call }))?.get('result')
  if (typeof result !== 'string' || !/^0x[0-9a-f]+$/i.test(result)) {
    throw new Error(`the sandbox did not tell the balance of ${address}`)
  }
  return BigInt(result)
}

async function post(url: string, body: object): Promise<ReadonlyMap<string, unknown> | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_SECONDS * 1000),
  })
  return asFields(await response.json())
}
