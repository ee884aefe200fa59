// Pays 2.5 USDC from a wallet whose key never leaves this program. Run it twice: the same invoice is paid once.
//   eval "$(npx florin env)"
//   PAYER_KEY=0x... node bin/florin.js exec examples/self-custody-evm.ts
import { Florin } from '@florin/sdk'
import {
  createPublicClient,
  decodeFunctionData,
  erc20Abi,
  getAddress,
  http,
  isHex,
  parseTransaction,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_EVM_RPC_URL, FLORIN_EVM_USDC } = process.env
const { PAYER_KEY = '', FLORIN_WALLET_EVM_2 = '' } = process.env
if (!isHex(PAYER_KEY)) throw new Error('PAYER_KEY is 0x and 64 hex digits')
const account = privateKeyToAccount(PAYER_KEY)
const node = createPublicClient({ transport: http(FLORIN_EVM_RPC_URL) })
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

// Build. The record exists from here on, and the service looks for it on chain.
const order = {
  walletAddress: account.address,
  recipientAddress: FLORIN_WALLET_EVM_2,
  amount: '2.5',
  asset: 'USDC',
}
const build = await florin.transactions.build(order, { idempotencyKey: 'invoice-1002' })

// Inspect, with a library of your own choice: nothing of the service has to be believed.
const transaction = parseTransaction(
  `0x${Buffer.from(build.transaction, 'base64').toString('hex')}`,
)
const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: transaction.data ?? '0x' })
const isMine =
  getAddress(transaction.to ?? '0x') === getAddress(FLORIN_EVM_USDC ?? '') &&
  functionName === 'transfer' &&
  args[0] === getAddress(FLORIN_WALLET_EVM_2) &&
  args[1] === 2_500_000n
if (!isMine) throw new Error('this is not what was ordered')

// Simulate, unless it was paid before: then its nonce is used.
const before = await florin.payments.status(build.paymentId)
if (before.status === 'pending') {
  const rehearsal = await florin.transactions.simulate({
    transaction: build.transaction,
    walletAddress: account.address,
  })
  if (!rehearsal.succeeds) throw new Error(`it would fail: ${rehearsal.error}`)

  // Sign and broadcast in time, through a node of your own.
  const serializedTransaction = await account.signTransaction(transaction)
  if (Date.now() >= build.expiresAt) throw new Error('too late: build it anew')
  await node.sendRawTransaction({ serializedTransaction })
}

const payment = await florin.payments.wait(build.paymentId, { until: 'settled' })
console.log(`${payment.paymentId} ${payment.status} in block ${payment.blockHeight}`)
