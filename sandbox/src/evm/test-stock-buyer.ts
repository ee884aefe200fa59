import { createPublicClient, erc20Abi, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { toClientEvmSigner } from '@x402/evm'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import { PERMIT2_ADDRESS, USDC_ADDRESS } from './chain-facts.ts'

/** A new account with ten USDC and what the stock client signs with; `warm` has approved Permit2 before. */
export async function aStockBuyer(sandbox: SandboxHandle, kind: 'warm' | 'cold') {
  const account = privateKeyToAccount(generatePrivateKey())
  await sandbox.fund(account.address, 'USDC', '10')
  if (kind === 'warm') {
    const wallet = stockWallet(sandbox, account)
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
