import { createWalletClient, http, publicActions } from 'viem'
import type { PrivateKeyAccount } from 'viem'
import { baseSepolia } from 'viem/chains'
import { toFacilitatorEvmSigner } from '@x402/evm'

/** viem on a sandbox's chain, taken for Base Sepolia; its times are milliseconds, short ones unless said otherwise. */
export function stockWallet(
  { rpcUrl }: { readonly rpcUrl: string },
  account: PrivateKeyAccount,
  { pollingInterval = 20, cacheTime = 0 } = {},
) {
  const transport = http(rpcUrl)
  return createWalletClient({
    ...{ account, chain: baseSepolia, transport },
    ...{ pollingInterval, cacheTime },
  }).extend(publicActions)
}

/** What the stock facilitator signs and sends with. */
export function stockFacilitatorSigner(
  wallet: ReturnType<typeof stockWallet>,
): ReturnType<typeof toFacilitatorEvmSigner> {
  return toFacilitatorEvmSigner({
    address: wallet.account.address,
    readContract: (call) => wallet.readContract({ ...call, args: call.args ?? [] }),
    verifyTypedData: (call) =>
      wallet.verifyTypedData(call as Parameters<typeof wallet.verifyTypedData>[0]),
    writeContract: (call) => wallet.writeContract(call),
    sendTransaction: (call) => wallet.sendTransaction(call),
    waitForTransactionReceipt: (call) => wallet.waitForTransactionReceipt(call),
    getCode: (call) => wallet.getCode(call),
  })
}
