import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { AbandonTransactionAnswer } from './contract/abandon-transaction.ts'
import type { BuildTransactionAnswer, BuildTransactionBody } from './contract/build-transaction.ts'
import type {
  SimulateTransactionAnswer,
  SimulateTransactionBody,
} from './contract/simulate-transaction.ts'
import type {
  SubmitTransactionAnswer,
  SubmitTransactionBody,
} from './contract/submit-transaction.ts'
import { FlorinError } from './florin-error.ts'
import type { OwnWallet } from './own-wallet.ts'
import { signBuild } from './sign-build.ts'

export type BuiltTransaction = BuildTransactionAnswer
export type Simulation = SimulateTransactionAnswer
export type SubmittedTransaction = SubmitTransactionAnswer

export interface SignAndSendOptions extends IntentOptions {
  /** Looks at what was built before anything is signed; whatever it throws ends it there. */
  readonly review?: ((build: BuiltTransaction) => void | Promise<void>) | undefined
}

/** Payments from wallets whose keys you hold: the service builds and follows, and never signs. */
export interface Transactions {
  /** Builds the transaction of one payment, once per idempotency key. Sign it and send it before `expiresAt`. */
  build(order: BuildTransactionBody, options?: IntentOptions): Promise<BuiltTransaction>
  /** What was built with your wallet's signature, in base64; asks nobody. */
  sign(build: BuiltTransaction, wallet: OwnWallet): Promise<string>
  /** What a transaction would do if it were sent now. Sends nothing. */
  simulate(body: SimulateTransactionBody, options?: CallOptions): Promise<Simulation>
  /** Sends a signed build through the service's nodes; the same bytes may be sent again. */
  submit(body: SubmitTransactionBody, options?: CallOptions): Promise<SubmittedTransaction>
  /** Gives a build up. When it is sent after all, what the chain does still counts. */
  abandon(paymentId: string, options?: CallOptions): Promise<AbandonTransactionAnswer>
  /**
   * Builds, signs with your wallet and sends. `payments.wait` says what became of it.
   * @throws {FlorinError} NOT_ACCEPTED when every node refused it. Whatever the wallet or `review` throws comes through, and the
   * build is given up.
   */
  signAndSend(
    order: Omit<BuildTransactionBody, 'walletAddress'>,
    wallet: OwnWallet,
    options?: SignAndSendOptions,
  ): Promise<SubmittedTransaction & { readonly build: BuiltTransaction }>
}

export function transactions(connection: Connection): Transactions {
  const abandon: Transactions['abandon'] = (paymentId, options) =>
    call(connection, 'abandonTransaction', { parts: { paymentId } }, options)
  const build: Transactions['build'] = (body, options) =>
    call(connection, 'buildTransaction', { body }, options)

  /** The build's own wallet and no other: bytes that nobody can follow must not go out. */
  async function signed(
    made: BuiltTransaction,
    wallet: OwnWallet,
    review: Review,
  ): Promise<string> {
    try {
      await review?.(made)
      return await signBuild(made, wallet)
    } catch (error) {
      // Nothing left here, so its place can be given to the next one; if not, it frees itself when it expires.
      await abandon(made.paymentId).catch(() => undefined)
      throw error
    }
  }

  return {
    build,
    abandon,
    sign: (made, wallet) => signBuild(made, wallet),
    simulate: (body, options) => call(connection, 'simulateTransaction', { body }, options),
    submit: (body, options) => call(connection, 'submitTransaction', { body }, options),
    signAndSend: async (order, wallet, options = {}) => {
      const { review, ...rest } = options
      const made = await build({ ...order, walletAddress: wallet.address }, rest)
      const { network, paymentId } = made
      const transaction = await signed(made, wallet, review)
      const sent = await call(
        connection,
        'submitTransaction',
        { body: { transaction, network } },
        { signal: rest.signal, isOpen: ({ accepted }) => accepted === null },
      )
      if (sent.accepted === false) throw notAccepted(sent, paymentId)
      return { ...sent, build: made }
    },
  }
}

type Review = SignAndSendOptions['review']

function notAccepted({ reason, signature }: SubmittedTransaction, paymentId: string): FlorinError {
  return new FlorinError({
    code: 'NOT_ACCEPTED',
    message: `no node took the transaction: ${reason ?? 'no reason given'}`,
    details: { paymentId, signature, reason },
  })
}
