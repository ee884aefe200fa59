import Type from 'typebox'
import { Exactly, Milliseconds, Nullable, Said } from './fields.ts'

const FAMILIES = ['evm', 'solana'] as const
const LABEL_CHARACTERS_MAX = 100
const TEXT_CHARACTERS_MAX = 1_024
const SIGNATURE_CHARACTERS_MAX = 256

/** How long a text may be signed and sent back, seconds. */
export const REGISTRATION_SECONDS = 600

const Text = (description: string) => Type.String({ description })
const Address = (description: string) => Type.String({ minLength: 1, maxLength: 128, description })

export const AddressPath = Exactly({
  address: Address('A receiving address of your account.'),
})

/** GET /addresses/challenge. */
export const ChallengeQuery = Exactly({
  address: Address('The address that you want to register.'),
})

/** Its answer: the text to sign. */
export const Challenge = Exactly({
  address: Text('The address in its one canonical spelling.'),
  family: Type.Enum(FAMILIES),
  challenge: Text(
    'Sign exactly this text: `personal_sign` (EIP-191) on EVM, the UTF-8 bytes with Ed25519 on Solana.',
  ),
  expiresAt: Said('Until then the signature is taken, Unix milliseconds.', Milliseconds),
})

/** POST /addresses. */
export const RegisterBody = Exactly({
  address: Address('The address that signed.'),
  challenge: Type.String({
    minLength: 1,
    maxLength: TEXT_CHARACTERS_MAX,
    description: 'The text as it was answered.',
  }),
  signature: Type.String({
    minLength: 1,
    maxLength: SIGNATURE_CHARACTERS_MAX,
    description: 'EVM: 65 bytes in hex. Solana: 64 bytes in base58 or base64.',
  }),
  label: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LABEL_CHARACTERS_MAX,
      description: 'What you call it.',
    }),
  ),
})

/** An address that one account alone may claim payments for. */
export const ReceivingAddress = Exactly({
  address: Text('Who is paid.'),
  family: Type.Enum(FAMILIES, { description: 'It counts on every network of this family.' }),
  label: Said('What you called it.', Nullable(Type.String())),
  registeredAt: Milliseconds,
})

/** GET /addresses: oldest first. Wallets of the service are not among them: they count as registered by themselves. */
export const ReceivingAddressList = Exactly({ addresses: Type.Array(ReceivingAddress) })

/** DELETE /addresses/{address}. */
export const ReceivingAddressDeleted = Exactly({
  address: Text('Whoever comes first may claim payments for it again.'),
  deletedAt: Milliseconds,
})

/** What is bound by a registration's signature. */
export interface Registration {
  readonly address: string
  readonly accountId: string
  /** Names the installation, not where it is reached. */
  readonly installation: string
  readonly issuedAtMilliseconds: number
}

/** The text that the holder of an address signs. */
export function registrationText(registration: Registration): string {
  const { address, accountId, installation, issuedAtMilliseconds } = registration
  return [
    'Florin: register a receiving address',
    '',
    'The account below, and no other, may then claim payments made to this address.',
    'This signature moves no money.',
    '',
    `Address: ${address}`,
    `Account: ${accountId}`,
    `Installation: ${installation}`,
    `Issued at: ${new Date(issuedAtMilliseconds).toISOString()}`,
    `Valid for: ${REGISTRATION_SECONDS} seconds`,
  ].join('\n')
}

const ISSUED_AT = /^Issued at: ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z)$/m

/** When a text says that it was issued, Unix milliseconds; undefined when it does not say. */
export function issuedAtOf(text: string): number | undefined {
  const [, time = ''] = ISSUED_AT.exec(text) ?? []
  const milliseconds = Date.parse(time)
  return Number.isSafeInteger(milliseconds) && milliseconds >= 0 ? milliseconds : undefined
}
