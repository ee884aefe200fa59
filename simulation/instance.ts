import { openDirectory } from '@florin/server/chains/directory.ts'
import type { Chain } from '@florin/server/chains/chain.ts'
import type { OpenSigner } from '@florin/server/custody/signer.ts'
import type { Incoming, Outgoing } from '@florin/server/http/route.ts'
import type { Caller } from '@florin/server/kernel/caller.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { newId } from '@florin/server/kernel/id.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { openProofs } from '@florin/server/payments/proof.ts'
import { paymentRoutes } from '@florin/server/payments/routes.ts'
import { openSendQueue } from '@florin/server/payments/send-queue.ts'
import { openWaits } from '@florin/server/payments/wait.ts'
import { openBroadcaster } from '@florin/server/sender/broadcast.ts'
import { startDriver } from '@florin/server/sender/driver.ts'
import type { Listener } from '@florin/server/store/listen.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import type { Premises } from './premises.ts'
import { openSettling } from './settling.ts'
import type { Steps } from './steps.ts'

/** A request as the edge hands it over, after the key and before anything is parsed. */
export interface Request {
  readonly caller: Caller
  readonly body: string
  readonly idempotencyKey: string | undefined
  /** Aborts when the caller hangs up. */
  readonly clientGone: AbortSignal
}

/** One life of the service: the real code from the route down, between simulated doors. */
export interface Instance {
  send(request: Request): Promise<Outgoing>
  /** Hands in a buyer's payment, as sellers do. */
  settle(request: Request): Promise<Outgoing>
}

export interface Doors {
  readonly actor: string
  readonly steps: Steps
  readonly premises: Pick<Premises, 'bodyRules' | 'queryRules'>
  readonly chain: Chain
  readonly store: Store
  readonly listener: Listener
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Whether payments are settled for others. */
  readonly settles: boolean
}

/** The same for all lives: the installation's secret outlives a process. */
const PROOF_KEY = new Uint8Array(32).fill(7)

/** Puts the service together as the real composition does, for one network. */
export function openInstance({
  actor,
  steps,
  premises,
  chain,
  store,
  listener,
  clock,
  random,
  log,
  settles,
}: Doors) {
  const { network } = chain.config
  const killPoint = () => undefined
  const directory = openDirectory([chain])
  const broadcaster = openBroadcaster({ chains: directory.all, store, clock, log, killPoint })
  const signerOf = (address: string): Promise<OpenSigner> =>
    steps.ask({
      actor,
      kind: 'key',
      label: '',
      effect: () => ({ address, sign: async () => new Uint8Array(), erase: () => undefined }),
    })
  const waits = openWaits({ store, listener, clock })
  const settling = settles
    ? openSettling({ chain, store, clock, random, log, waits, broadcaster, signerOf })
    : undefined
  startDriver({
    chain,
    store,
    book: openPaymentBook({ clock, waits }),
    deposits: openDepositBook({ clock, random }),
    broadcaster,
    clock,
    log,
    killPoint,
    instance: actor,
    signerOf,
    ...(settling === undefined ? {} : { watch: settling.watch }),
  })
  const queue = openSendQueue({
    store,
    clock,
    log,
    broadcaster,
    killPoint,
    signerFor: ({ address }) => signerOf(address),
  })
  const routes = paymentRoutes({
    store,
    queue,
    waits,
    proofs: openProofs({ proofKey: new SecretBytes(PROOF_KEY), chains: directory.all }),
    clock,
    random,
    killPoint,
    directory,
    networks: new Map([[network, chain.config]]),
  })
  const open = (id: string) => {
    const found = [...routes, ...(settling?.routes ?? [])].find(
      ({ endpoint }) => endpoint.id === id,
    )
    if (found === undefined) throw new Error(`there is no route ${id}`)
    return found.open({
      bodyRules: premises.bodyRules,
      queryRules: premises.queryRules,
      clock,
      checkAnswers: true,
    })
  }
  const sendPayment = open('sendPayment')
  const settle = settles ? open('x402Settle') : undefined
  const closing = new AbortController().signal
  const incoming = ({ caller, body, idempotencyKey, clientGone }: Request): Incoming => ({
    params: {},
    query: {},
    bytes: Buffer.from(body),
    caller,
    person: undefined,
    client: { address: '127.0.0.1', protocol: 'http' },
    header: () => [],
    requestId: newId(random, 'req'),
    idempotencyKey,
    clientGone: () => clientGone,
    closing,
    // The service of a world does not stop, it is ended.
    over: () => clientGone,
    demandAdmitted: async () => undefined,
  })
  return {
    send: (request: Request) => sendPayment(incoming(request)),
    settle: (request: Request) => {
      if (settle === undefined) throw new Error('nothing is settled in this world')
      return settle(incoming(request))
    },
  } satisfies Instance
}
