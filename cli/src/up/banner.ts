import { shellQuoted } from '../env.ts'
import type { SandboxFile } from '../sandbox-file.ts'

/** One line for a shell that makes a real payment on the sandbox: key, wallets and amount are filled in. */
function curlLine({ baseUrl, apiKeys, wallets }: SandboxFile): string {
  const order = {
    walletAddress: wallets[0]?.address,
    recipientAddress: wallets[1]?.address,
    amount: 1,
    asset: 'USDC',
  }
  const headers = [`Authorization: Bearer ${apiKeys.standard}`, 'Content-Type: application/json']
  const options = headers.map((header) => `-H ${shellQuoted(header)}`).join(' ')
  return `curl -sS ${baseUrl}/payment/send ${options} -d ${shellQuoted(JSON.stringify(order))}`
}

/** What `up` says when it is ready. */
export function banner(file: SandboxFile, sandboxFile: string, seconds: number): string {
  return [
    '',
    `Florin is ready on ${file.baseUrl} after ${seconds.toFixed(1)} s`,
    `Keys, wallets, addresses: ${sandboxFile}`,
    `Dashboard: ${file.dashboardUrl}`,
    'Make a payment:',
    '',
    curlLine(file),
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}
