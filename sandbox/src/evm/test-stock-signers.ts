import { createPublicClient, createWalletClient, erc20Abi, http, publicActions } from 'viem'
import type { PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { toClientEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { PERMIT2_ADDRESS, USDC_ADDRESS } from './chain-facts.ts'

/** viem on the sandbox, taken for Base Sepolia. */
export function openWallet({ rpcUrl }: Pick<SandboxHandle, 'rpcUrl'>, account: PrivateKeyAccount) {
  const transport = http(rpcUrl)
  return createWalletClient({
    ...{ account, chain: baseSepolia, transport },
    pollingInterval: 20,
    cacheTime: 0,
  }).extend(publicActions)
}

/** What the stock facilitator signs and sends with. */
export function facilitatorSigner(
  sandbox: Pick<SandboxHandle, 'rpcUrl'>,
  relay: PrivateKeyAccount,
): ReturnType<typeof toFacilitatorEvmSigner> {
  const wallet = openWallet(sandbox, relay)
  return toFacilitatorEvmSigner({
    address: relay.address,
    readContract: (call) => wallet.readContract({ ...call, args: call.args ?? [] }),
    verifyTypedData: (call) =>
      wallet.verifyTypedData(call as Parameters<typeof wallet.verifyTypedData>[0]),
    writeContract: (call) => wallet.writeContract(call),
    sendTransaction: (call) => wallet.sendTransaction(call),
    waitForTransactionReceipt: (call) => wallet.waitForTransactionReceipt(call),
    getCode: (call) => wallet.getCode(call),
  })
}

/** A new account with ten USDC and what the stock client signs with; `warm` has approved Permit2 before. */
export async function aStockBuyer(sandbox: SandboxHandle, kind: 'warm' | 'cold') {
  const account = privateKeyToAccount(generatePrivateKey())
  await sandbox.fund(account.address, 'USDC', '10')
  if (kind === 'warm') {
    const wallet = openWallet(sandbox, account)
    await sandbox.fund(account.address)
    const hash = await wallet.writeContract({
      ...{ address: USDC_ADDRESS, abi: erc20Abi, functionName: 'approve' },
      args: [PERMIT2_ADDRESS, 2n ** 256n - 1n],
    })
    await wallet.waitForTransactionReceipt({ hash })
  }
  const reader = createPublicClient({ transport: http(sandbox.rpcUrl) })
  return { account, signer: toClientEvmSigner(account, reader) }
}
