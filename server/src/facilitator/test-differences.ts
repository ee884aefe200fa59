import { canonicalAddress } from '@florin/wire/address.ts'
import type { Family } from '@florin/wire/network.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { areRequirements, isAuthorization, isPayment, isText } from './test-grammar.ts'
import type { Presented } from './intake.ts'
import { EVM_SETTLER, SOLANA_SETTLER } from './test-settlers.ts'

/** One payment as both have judged it: `valid`, a reason, or `throws`. */
export interface Seen {
  readonly name: string
  readonly family: Family
  readonly version: 1 | 2
  readonly presented: Presented
  readonly ours: string
  readonly theirs: string
}

/** Where we say something else than the reference, and why. Whatever no rule explains is a fault; so is a rule for nothing. */
export interface Difference {
  readonly name: string
  readonly why: string
  readonly explains: (seen: Seen) => boolean
}

const EVM = 'invalid_exact_evm_'
const SVM = 'invalid_exact_svm_'
const PAYLOAD = `${SVM}payload_`
const LAYOUT = `${PAYLOAD}transaction_instructions_`
const SERVED: Readonly<Record<Family, readonly string[]>> = {
  evm: ['eip155:84532', 'base-sepolia'],
  solana: ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet'],
}

const requirementsOf = ({ presented }: Seen): Fields =>
  fieldsOf(presented.paymentRequirements) ?? {}
const paymentOf = ({ presented }: Seen): Fields => fieldsOf(presented.paymentPayload) ?? {}
const extraOf = (seen: Seen): Fields => fieldsOf(requirementsOf(seen)['extra']) ?? {}
const payloadOf = (seen: Seen): Fields => fieldsOf(paymentOf(seen)['payload']) ?? {}
const authorizationOf = (seen: Seen): Fields => fieldsOf(payloadOf(seen)['authorization']) ?? {}
const amountOf = (seen: Seen): unknown =>
  requirementsOf(seen)[seen.version === 1 ? 'maxAmountRequired' : 'amount']
const paidNetworkOf = (seen: Seen): unknown =>
  seen.version === 1
    ? paymentOf(seen)['network']
    : fieldsOf(paymentOf(seen)['accepted'])?.['network']
const payToOf = (seen: Seen): string => String(requirementsOf(seen)['payTo']).toLowerCase()
const signatureOf = (seen: Seen): string => String(payloadOf(seen)['signature'])
const isSimulation = (reason: string): boolean => reason.endsWith('transaction_simulation_failed')
const isServed = ({ family }: Seen, network: unknown, version: 1 | 2): boolean =>
  SERVED[family].includes(String(network)) && (version === 1 || String(network).includes(':'))

const FORMS: readonly Difference[] = [
  {
    name: 'what is malformed is a payload, and no crash',
    why: 'The reference reads what it needs when it needs it: it throws, or answers about something later, or never looks.',
    explains: (seen) =>
      seen.ours === 'invalid_payload' &&
      !(
        isPayment(seen.presented.paymentPayload, seen.version) &&
        (seen.family === 'solana' || isAuthorization(payloadOf(seen)))
      ),
  },
  {
    name: 'what is malformed are requirements, and no crash',
    why: 'As above. Amounts have one spelling: BigInt takes hex, spaces and the empty string, which is zero.',
    explains: (seen) =>
      seen.ours === 'invalid_payment_requirements' &&
      (!areRequirements(seen.presented.paymentRequirements, seen.version) ||
        canonicalAddress(String(requirementsOf(seen)['payTo'])) === undefined),
  },
  {
    name: 'the address is of the other family',
    why: 'The reference throws, or derives an account from it and compares.',
    explains: (seen) =>
      seen.ours === 'invalid_payment_requirements' &&
      String(requirementsOf(seen)['payTo']).startsWith('0x') === (seen.family === 'solana'),
  },
  {
    name: 'a payment says one version, the request another',
    why: 'The version fixes the rules; the schemes of the reference are never asked which they are.',
    explains: (seen) =>
      seen.ours === 'invalid_x402_version' &&
      paymentOf(seen)['x402Version'] !== (seen.presented.x402Version ?? seen.version),
  },
  {
    name: 'a scheme that is not served',
    why: 'Requests are routed by the scheme that the seller asks for, before a scheme is asked; the router of the reference throws.',
    explains: (seen) =>
      seen.ours === 'unsupported_scheme' && requirementsOf(seen)['scheme'] !== 'exact',
  },
  {
    name: 'a network that is not served',
    why: 'One chain, one name. The reference takes eip155:084532 for eip155:84532, and on Solana any name at all for the node it has.',
    explains: (seen) =>
      seen.ours === 'invalid_network' &&
      !(
        isServed(seen, requirementsOf(seen)['network'], seen.version) &&
        isServed(seen, paidNetworkOf(seen), seen.version)
      ),
  },
  {
    name: 'two names of one chain',
    why: 'A name of version 1 and its CAIP-2 id mean the same chain, and what is signed names the chain itself.',
    explains: (seen) => {
      const names = [requirementsOf(seen)['network'], paidNetworkOf(seen)]
      return (
        seen.version === 1 &&
        names.some((name) => String(name).includes(':')) &&
        names.every((name) => isServed(seen, name, 1)) &&
        seen.theirs.endsWith('network_mismatch')
      )
    },
  },
  {
    name: 'a token that is not listed',
    why: 'Any contract can call itself a token. The reference takes whatever has code.',
    explains: (seen) =>
      seen.ours === 'asset_not_listed' && !LISTED.includes(String(requirementsOf(seen)['asset'])),
  },
  {
    name: 'a payment of nothing',
    why: 'It costs gas, and pays nobody.',
    explains: (seen) => seen.ours === 'invalid_payment_requirements' && amountOf(seen) === '0',
  },
  {
    name: 'a receiver who gets nothing of it',
    why: 'The payer itself, the token, nobody, or our own fee payer, whose key signs the transaction. All but the first is the seller’s fault, so it is told before anything about the payment.',
    explains: (seen) =>
      seen.ours.endsWith('recipient_mismatch') &&
      (NOBODY.includes(payToOf(seen)) ||
        payToOf(seen) === String(authorizationOf(seen)['from']).toLowerCase() ||
        seen.name.includes('for the payer')),
  },
]

const THROWN: Difference = {
  name: 'the reference throws',
  why: 'It validates nothing; what it cannot read ends in an exception, wherever it comes to it.',
  explains: ({ ours, theirs }) => theirs === 'throws' && ours !== 'valid',
}

/** The addresses that tests know by heart; spellings as they are presented. */
const LISTED = [
  '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
]
const NOBODY = [
  '0x0000000000000000000000000000000000000000',
  '11111111111111111111111111111111',
  EVM_SETTLER,
  SOLANA_SETTLER.address,
  ...LISTED,
].map((address) => address.toLowerCase())

const EVM_RULES: readonly Difference[] = [
  {
    name: 'the network before the domain',
    why: 'Everything else depends on the network, so it is looked at first, in the same order for each family.',
    explains: (seen) =>
      seen.ours === `${EVM}network_mismatch` && seen.theirs === `${EVM}missing_eip712_domain`,
  },
  {
    name: 'the value before the time',
    why: 'Time is the chain’s, so it takes a node; a payment of another amount is told without one.',
    explains: ({ ours, theirs }) =>
      /authorization_value/.test(ours) && /authorization_valid_(before|after)$/.test(theirs),
  },
  {
    name: 'a signature with a high s',
    why: 'One payment has one signature (EIP-2). The reference recovers it, and the token refuses it in the simulation.',
    explains: (seen) =>
      seen.ours === `${EVM}signature` &&
      HALF_ORDER < BigInt(`0x0${signatureOf(seen).slice(66, 130)}`),
  },
  {
    name: 'v of 0 or 1',
    why: 'It means 27 or 28. The reference recovers it, hands it on as it is, and the token refuses it in the simulation.',
    explains: (seen) =>
      seen.ours === 'valid' && isSimulation(seen.theirs) && /0[01]$/.test(signatureOf(seen)),
  },
  {
    name: 'addresses all in upper case',
    why: 'They carry no checksum, as little as all lower case. The library of the reference refuses to hash them.',
    explains: (seen) =>
      [authorizationOf(seen)['from'], authorizationOf(seen)['to']].some(
        (address) => isText(address) && /^0x(?=.*[A-F])[0-9A-F]{40}$/.test(address),
      ) && seen.theirs === `${EVM}signature`,
  },
  {
    name: 'a domain that is no text',
    why: 'Something that is no name is none. The reference hashes it, and the signature is of something else.',
    explains: (seen) =>
      seen.ours === `${EVM}missing_eip712_domain` &&
      !(isText(extraOf(seen)['name']) && isText(extraOf(seen)['version'])),
  },
  {
    name: 'a wrapper that is none',
    why: 'The mark at the end (EIP-6492) says what it wants to be; the library of the reference throws while it unwraps.',
    explains: ({ ours, theirs }) => ours === 'eip6492_factory_not_allowed' && theirs === 'throws',
  },
  {
    name: 'a wrapper around the signature of an account that has code',
    why: 'Neither kind of account is taken. The reference unwraps it and asks the account.',
    explains: ({ ours, theirs, name }) =>
      ours === 'eip6492_factory_not_allowed' &&
      theirs === `${EVM}signature` &&
      name.includes('a payer with code'),
  },
  {
    name: 'what no node is needed for before the payer’s code',
    why: 'Code is asked together with everything else that needs a node.',
    explains: ({ ours, theirs, name }) =>
      theirs === `${EVM}signature` &&
      name.includes('a payer with code') &&
      /recipient_mismatch|value/.test(ours),
  },
]
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const SOLANA_RULES: readonly Difference[] = [
  {
    name: 'bytes that are left over or missing, and base64 that is not whole',
    why: 'A transaction is read completely, from its one spelling, or not at all. The reference reads its beginning, padded or not.',
    explains: ({ ours, name }) =>
      ours === `${PAYLOAD}transaction_could_not_be_decoded` &&
      /a byte behind|a byte too few|two kilobytes|without padding|a bit of/.test(name),
  },
  {
    name: 'accounts behind a lookup table',
    why: 'Who stands there can change; our signature would cover it. The reference asks the chain for them.',
    explains: ({ ours, theirs }) =>
      ours === `${PAYLOAD}transaction` &&
      (theirs.startsWith(`${SVM}smart_wallet_alt_`) ||
        theirs === `${PAYLOAD}transaction_could_not_be_decoded`),
  },
  {
    name: 'the priority in all',
    why: 'Price and limit each within bounds would still allow a million lamports; 50,000 are enough for anybody.',
    explains: ({ ours, name }) =>
      ours === `${LAYOUT}compute_price_instruction_too_high` &&
      /a price of (250,001|5,000,000)/.test(name),
  },
  {
    name: 'version 1 without bounds',
    why: 'Limit and signers cost us the same in either version; the older scheme has no setting for them.',
    explains: ({ version, ours }) =>
      version === 1 &&
      [`${LAYOUT}compute_limit_instruction_too_high`, `${PAYLOAD}excessive_signers`].includes(ours),
  },
  {
    name: 'seven instructions in version 1',
    why: 'Wallets add their assertions in either version; the older scheme counts to six.',
    explains: ({ version, ours, theirs }) =>
      version === 1 && theirs === `${LAYOUT}length` && ours !== theirs,
  },
  {
    name: 'a budget with more than it needs',
    why: 'Bytes or accounts that mean nothing to it have no business in a payment. The reference does not look for them.',
    explains: ({ ours, name }) =>
      /compute_(limit|price)_instruction$/.test(ours) && /with more|with an account/.test(name),
  },
  {
    name: 'we stand in no instruction',
    why: 'A MUST of the sponsor policy; the reference looks at the transfer’s authority only.',
    explains: ({ ours }) => ours === `${PAYLOAD}transaction_fee_payer_transferring_funds`,
  },
  {
    name: 'decimals',
    why: 'A transfer with other decimals fails on chain, which the reference learns from the simulation.',
    explains: ({ ours, theirs, name }) =>
      ours === `${PAYLOAD}amount_mismatch` &&
      (isSimulation(theirs) || theirs !== 'valid') &&
      name.includes('other decimals'),
  },
  {
    name: 'the bytes of a memo',
    why: 'The reference compares decoded text: what is no UTF-8 equals a replacement sign, and a mark of order is dropped.',
    explains: ({ ours, name }) =>
      ours === `${PAYLOAD}memo_mismatch` && /mark of order|no UTF-8/.test(name),
  },
  {
    name: 'a memo longer than 256 bytes',
    why: 'The scheme bounds it; the reference keeps to that only when it signs.',
    explains: (seen) =>
      seen.ours === `${PAYLOAD}memo_mismatch` &&
      Buffer.byteLength(String(extraOf(seen)['memo'])) > 256,
  },
  {
    name: 'a memo that is neither text nor left out',
    why: 'It was asked for, so no memo can equal it. The reference takes 0 and false for nothing.',
    explains: (seen) =>
      /memo_(count|mismatch)$/.test(seen.ours) && [0, false].includes(extraOf(seen)['memo'] as 0),
  },
  {
    name: 'a fee payer that is no name',
    why: 'Text of more than two kilobytes names nobody.',
    explains: (seen) =>
      seen.ours === `${PAYLOAD}missing_fee_payer` && !isText(extraOf(seen)['feePayer']),
  },
]

export const DIFFERENCES: readonly (Difference & { readonly family: Family | null })[] = [
  ...FORMS.map((rule) => ({ ...rule, family: null })),
  ...EVM_RULES.map((rule) => ({ ...rule, family: 'evm' as const })),
  ...SOLANA_RULES.map((rule) => ({ ...rule, family: 'solana' as const })),
  { ...THROWN, family: 'evm' },
]

/** The first rule that explains why the two disagree. */
export function explanationOf(seen: Seen): string | undefined {
  return DIFFERENCES.find(
    ({ family, explains }) => (family === null || family === seen.family) && explains(seen),
  )?.name
}
