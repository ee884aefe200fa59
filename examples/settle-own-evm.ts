// Settles what a buyer sent with a wallet whose key never leaves this program, which pays the network itself.
//   eval "$(npx florin env)"
//   SELLER_KEY=0x... PAYMENT_HEADER=... node bin/florin.js exec examples/settle-own-evm.ts
import { Florin } from '@florin/sdk'
import { createPublicClient, http, isHex, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_EVM_RPC_URL } = process.env
const { SELLER_KEY = '', PAYMENT_HEADER = '' } = process.env
if (!isHex(SELLER_KEY)) throw new Error('SELLER_KEY is 0x and 64 hex digits')
const account = privateKeyToAccount(SELLER_KEY)
const node = createPublicClient({ transport: http(FLORIN_EVM_RPC_URL) })
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

// Build: after every check of the proof, against your own words. It is yours alone until `expiresAt`.
const build = await florin.transactions.receive({
  walletAddress: account.address,
  paymentProof: PAYMENT_HEADER,
  expectedAmount: '0.01',
})

// Sign: the client reads the bytes first, and a settlement that does anything else is not signed.
const signed = await florin.transactions.sign(build, account)
const serializedTransaction = `0x${Buffer.from(signed, 'base64').toString('hex')}` as const
if (parseTransaction(serializedTransaction).type !== 'eip1559')
  throw new Error('not what was built')

// Broadcast in time, through a node of your own.
if (Date.now() >= build.expiresAt) throw new Error('too late: build it anew')
await node.sendRawTransaction({ serializedTransaction })
await florin.payments.wait(build.paymentId, { until: 'confirmed' })

// Deliver on the one success that there is for this proof.
const { status, signature } = await florin.payments.settle({ paymentId: build.paymentId })
console.log(`${build.paymentId} ${status} by ${signature}`)
