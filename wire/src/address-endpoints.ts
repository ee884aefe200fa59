import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import {
  AddressPath,
  Challenge,
  ChallengeQuery,
  ReceivingAddress,
  ReceivingAddressDeleted,
  ReceivingAddressList,
  RegisterBody,
} from './receiving-address.ts'

const read = { scope: 'read', plan: 'standard' } as const
const write = { scope: 'write', plan: 'standard' } as const

/** The rows of registered receiving addresses: a part of the endpoint table. */
export const addressEndpoints = {
  challengeAddress: {
    ...bare,
    id: 'challengeAddress',
    method: 'GET',
    path: '/addresses/challenge',
    summary: 'The text to sign for a receiving address',
    needs: write,
    query: ChallengeQuery,
    answer: Challenge,
  },
  registerAddress: {
    ...bare,
    id: 'registerAddress',
    method: 'POST',
    path: '/addresses',
    summary: 'Register a receiving address by its signature',
    needs: write,
    idempotent: true,
    body: RegisterBody,
    answer: ReceivingAddress,
    fails: ['IDEMPOTENCY_MISMATCH'],
  },
  listAddresses: {
    ...bare,
    id: 'listAddresses',
    method: 'GET',
    path: '/addresses',
    summary: 'The registered receiving addresses of the account',
    needs: read,
    answer: ReceivingAddressList,
  },
  deleteAddress: {
    ...bare,
    id: 'deleteAddress',
    method: 'DELETE',
    path: '/addresses/{address}',
    summary: 'Give a registered receiving address up',
    needs: write,
    params: AddressPath,
    answer: ReceivingAddressDeleted,
    fails: ['NOT_FOUND'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
