import Type from 'typebox'
import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { Live, Ready } from './health.ts'
import { NetworkList } from './network-list.ts'
import { PaymentPath, PaymentRecord, SendAnswer, SendBody } from './payment.ts'
import {
  CreateWalletBody,
  Wallet,
  WalletDeleted,
  WalletDetail,
  WalletList,
  WalletPath,
  WalletPolicyAnswer,
  WalletPolicyBody,
} from './wallet.ts'

/** Load balancers and probes add parameters of their own. */
const anyQuery = Type.Object({})

const read = { scope: 'read', plan: 'standard' } as const
const write = { scope: 'write', plan: 'standard' } as const

/** The API, one row per operation. Routes, clients, OpenAPI, documents and contract tests are read from it. */
export const endpoints = {
  healthLive: {
    ...bare,
    id: 'healthLive',
    method: 'GET',
    path: '/health/live',
    summary: 'Whether the process runs',
    needs: null,
    query: anyQuery,
    answer: Live,
  },
  healthReady: {
    ...bare,
    id: 'healthReady',
    method: 'GET',
    path: '/health/ready',
    summary: 'Whether everything that payments need is reachable',
    needs: null,
    query: anyQuery,
    answer: Ready,
    fails: ['NETWORK_ERROR'],
  },
  listNetworks: {
    ...bare,
    id: 'listNetworks',
    method: 'GET',
    path: '/networks',
    summary: 'The enabled networks and their assets',
    needs: read,
    answer: NetworkList,
  },
  sendPayment: {
    ...bare,
    id: 'sendPayment',
    method: 'POST',
    path: '/payment/send',
    summary: 'Pay from a wallet that the service holds',
    needs: write,
    idempotent: true,
    body: SendBody,
    answer: SendAnswer,
    fails: [
      'INVALID_RECIPIENT',
      'INSUFFICIENT_BALANCE',
      'POLICY_REFUSED',
      'UNSUPPORTED_NETWORK',
      'UNSUPPORTED_ASSET',
      'NOT_FOUND',
      'IDEMPOTENCY_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'TRANSACTION_FAILED',
      'NETWORK_ERROR',
    ],
  },
  paymentStatus: {
    ...bare,
    id: 'paymentStatus',
    method: 'GET',
    path: '/payment/status/{paymentId}',
    summary: 'The record of a payment and where it stands',
    needs: read,
    params: PaymentPath,
    answer: PaymentRecord,
    fails: ['NOT_FOUND'],
  },
  createWallet: {
    ...bare,
    id: 'createWallet',
    method: 'POST',
    path: '/wallets',
    summary: 'Make a wallet whose key the service holds',
    needs: write,
    idempotent: true,
    body: CreateWalletBody,
    answer: Wallet,
    fails: ['UNSUPPORTED_NETWORK', 'IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  },
  listWallets: {
    ...bare,
    id: 'listWallets',
    method: 'GET',
    path: '/wallets',
    summary: 'The wallets of the account',
    needs: read,
    answer: WalletList,
  },
  getWallet: {
    ...bare,
    id: 'getWallet',
    method: 'GET',
    path: '/wallets/{address}',
    summary: 'A wallet, its balances and its policy',
    needs: read,
    params: WalletPath,
    answer: WalletDetail,
    fails: ['NOT_FOUND', 'NETWORK_ERROR'],
  },
  deleteWallet: {
    ...bare,
    id: 'deleteWallet',
    method: 'DELETE',
    path: '/wallets/{address}',
    summary: 'Delete a wallet that is empty and idle',
    needs: write,
    params: WalletPath,
    answer: WalletDeleted,
    fails: ['NOT_FOUND', 'NETWORK_ERROR'],
  },
  setWalletPolicy: {
    ...bare,
    id: 'setWalletPolicy',
    method: 'PUT',
    path: '/wallets/{address}/policy',
    summary: 'Replace the spending policy of a wallet',
    needs: write,
    params: WalletPath,
    body: WalletPolicyBody,
    answer: WalletPolicyAnswer,
    fails: ['NOT_FOUND', 'UNSUPPORTED_NETWORK', 'UNSUPPORTED_ASSET'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
