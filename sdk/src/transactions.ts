import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import { checkBuild } from './check-build.ts'
import type { CheckOptions } from './check-build.ts'
import { checkSettlement } from './check-settlement.ts'
import type { Connection } from './connection.ts'
import type { AbandonTransactionAnswer } from './contract/abandon-transaction.ts'
import type { BuildTransactionAnswer, BuildTransactionBody } from './contract/build-transaction.ts'
import type { ReceiveTransactionBody } from './contract/receive-transaction.ts'
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

export interface SignOptions extends CheckOptions, CallOptions {
  /** What was ordered, or is to be received; known already for what this client's own `build` and `receive` gave. */
  readonly order?: BuildTransactionBody | ReceiveTransactionBody | undefined
}

export interface SignAndSendOptions extends IntentOptions, CheckOptions {
  /** Looks at what was built before anything is signed; whatever it throws ends it there. */
  readonly review?: ((build: BuiltTransaction) => void | Promise<void>) | undefined
}

/** Payments from wallets whose keys you hold: the service builds and follows, and never signs. */
export interface Transactions {
  /** Builds the transaction of one payment, once per idempotency key. Sign it and send it before `expiresAt`. */
  build(order: BuildTransactionBody, options?: IntentOptions): Promise<BuiltTransaction>
  /**
   * Builds the transaction with which your own wallet settles what a buyer sent; the proof is yours alone until `expiresAt`. Afterwards
   * `payments.settle({ paymentId })` gives its one success out.
   * @throws {FlorinError} DUPLICATE_SETTLEMENT with its state when it is on chain, or another account has it.
   */
  receive(offer: ReceiveTransactionBody, options?: IntentOptions): Promise<BuiltTransaction>
  /**
   * What was built with your wallet's signature, in base64. The bytes are held against the order before the wallet is asked.
   * @throws {FlorinError} BUILD_DIFFERS when they do anything else; INVALID_SETTING without an order.
   */
  sign(build: BuiltTransaction, wallet: OwnWallet, options?: SignOptions): Promise<string>
  /** What a transaction would do if it were sent now. Sends nothing. */
  simulate(body: SimulateTransactionBody, options?: CallOptions): Promise<Simulation>
  /** Sends a signed build through the service's nodes; the same bytes may be sent again. */
  submit(body: SubmitTransactionBody, options?: CallOptions): Promise<SubmittedTransaction>
  /** Gives a build up. When it is sent after all, what the chain does still counts. */
  abandon(paymentId: string, options?: CallOptions): Promise<AbandonTransactionAnswer>
  /**
   * Builds, holds the bytes against the order, signs with your wallet and sends. `payments.wait` says what became of it. With a
   * `paymentProof` it settles what a buyer sent, as `receive` does.
   * @throws {FlorinError} BUILD_DIFFERS when the service built something else, and NOT_ACCEPTED when every node refused it; after a try
   * of which nobody knows what it did, NO_ANSWER with `outcomeUnknown` instead. Whatever the wallet or `review` throws comes through,
   * and the build is given up.
   */
  signAndSend(
    order:
      Omit<BuildTransactionBody, 'walletAddress'> | Omit<ReceiveTransactionBody, 'walletAddress'>,
    wallet: OwnWallet,
    options?: SignAndSendOptions,
  ): Promise<SubmittedTransaction & { readonly build: BuiltTransaction }>
}

export function transactions(connection: Connection): Transactions {
  const abandon: Transactions['abandon'] = (paymentId, options) =>
    call(connection, 'abandonTransaction', { parts: { paymentId } }, options)
  /** As long as the builds themselves. */
  const orders = new WeakMap<BuiltTransaction, BuildTransactionBody | ReceiveTransactionBody>()
  const build: Transactions['build'] = async (body, options) => {
    const order = { ...body }
    const made = await call(connection, 'buildTransaction', { body: order }, options)
    orders.set(made, order)
    return made
  }
  const receive: Transactions['receive'] = async (body, options) => {
    const offer = { ...body }
    const made = await call(connection, 'receiveTransaction', { body: offer }, options)
    orders.set(made, offer)
    return made
  }

  const sign: Transactions['sign'] = async (made, wallet, { order, signal, ...options } = {}) => {
    const asked = order ?? orders.get(made)
    if (asked === undefined) {
      const message = 'name the order that this was built for: it is not known here'
      throw new FlorinError({ code: 'INVALID_SETTING', message })
    }
    const networks = async () => (await call(connection, 'listNetworks', {}, { signal })).networks
    const checked =
      'paymentProof' in asked
        ? await checkSettlement(made, asked, networks, options)
        : await checkBuild(made, asked, networks, options)
    return await signBuild(checked, asked.walletAddress, wallet)
  }

  /** The build's own wallet and no other: bytes that nobody can follow must not go out. */
  async function signed(
    made: BuiltTransaction,
    wallet: OwnWallet,
    { review, maxFee, signal }: SignAndSendOptions,
  ): Promise<string> {
    try {
      await review?.(made)
      return await sign(made, wallet, { maxFee, signal })
    } catch (error) {
      // Nothing left here, so its place can be given to the next one; if not, it frees itself when it expires.
      await abandon(made.paymentId).catch(() => undefined)
      throw error
    }
  }

  return {
    build,
    receive,
    abandon,
    sign,
    simulate: (body, options) => call(connection, 'simulateTransaction', { body }, options),
    submit: (body, options) => call(connection, 'submitTransaction', { body }, options),
    signAndSend: async (order, wallet, options = {}) => {
      const { signal, idempotencyKey } = options
      const walletAddress = wallet.address
      const made =
        'paymentProof' in order
          ? await receive({ ...order, walletAddress }, { signal, idempotencyKey })
          : await build({ ...order, walletAddress }, { signal, idempotencyKey })
      const { network, paymentId } = made
      const transaction = await signed(made, wallet, options)
      let wasUnclear = false
      const sent = await call(
        connection,
        'submitTransaction',
        { body: { transaction, network } },
        {
          signal,
          isOpen: ({ accepted, reason }) => accepted === null && !MAY_BE_MINED.has(reason),
          onUnclear: () => (wasUnclear = true),
        },
      )
      if (sent.accepted === false) throw notAccepted(sent, paymentId, wasUnclear)
      return { ...sent, build: made }
    },
  }
}

/** Sending again says nothing new: only the chain does. */
const MAY_BE_MINED: ReadonlySet<string | null> = new Set([
  'nonce_too_low',
  'replacement_underpriced',
])

/** A no after a try of which nobody knows what it did is no proof: that one may be on chain. */
function notAccepted(
  { reason, signature }: SubmittedTransaction,
  paymentId: string,
  outcomeUnknown: boolean,
): FlorinError {
  const why = reason ?? 'no reason given'
  return new FlorinError({
    code: outcomeUnknown ? 'NO_ANSWER' : 'NOT_ACCEPTED',
    message: outcomeUnknown
      ? `an earlier try may have been taken, although now no node takes it: ${why}`
      : `no node took the transaction: ${why}`,
    details: { paymentId, signature, reason },
    outcomeUnknown,
  })
}
