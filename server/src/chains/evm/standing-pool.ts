import type { Clock } from '../../kernel/clock.ts'
import { shareCalls } from '../json-rpc/share-calls.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { bytesFrom } from './answer.ts'
import type { Authorization } from './eip3009.ts'
import { hexDigits } from './hex.ts'
import { readStandings, writeStandings } from './standing-code.ts'
import type { PayerStanding } from './standing-code.ts'

/** Some 25,000 gas each, at most 200,000; with its signature 169 bytes of the 49,152 that init code may have (EIP-3860). */
const STANDINGS_PER_CALL_MAX = 150

/**
 * A node that is near has answered by then: what came meanwhile is one call. With two under way at once each had half as much, and the requests alone
 * took 10 to 15 % of the verifications that 64 callers get. While the node answers there is enough to do: signatures are looked at.
 */
const APART_MILLISECONDS = 20

export type AskedStanding = Pick<Authorization, 'token' | 'from' | 'nonce'>

/** A signature that the node may be asked about: digest, v, r and s, hex without 0x. Called when the call is put together. */
export type AskSigner = () => string | undefined

export interface AnsweredStanding extends PayerStanding {
  /** 20 bytes as hex without 0x, lower case; undefined where it was not asked. */
  readonly signer: string | undefined
}

/** Reads where authorizations of EIP-3009 stand, for whoever asks at the same moment in shared calls. */
export interface StandingPool {
  /** All of it at one block. Throws NodeFailure. */
  read(asked: AskedStanding, askSigner?: AskSigner): Promise<AnsweredStanding>
}

/** Only what lists of tokens name is called, and nothing of a payer's choice. */
export function openStandingPool(
  transport: Pick<Transport, 'read'>,
  clock: Pick<Clock, 'sleep'>,
): StandingPool {
  interface Asker {
    readonly asked: AskedStanding
    readonly askSigner: AskSigner | undefined
  }

  async function ask(askers: readonly Asker[]): Promise<readonly AnsweredStanding[]> {
    const signatures: string[] = []
    const places = askers.map(({ askSigner }) => {
      const signature = askSigner?.()
      return signature === undefined ? -1 : signatures.push(signature) - 1
    })
    const asked = askers.map(({ asked: { token, from, nonce } }) => ({
      token: token.slice(2),
      payer: from.slice(2),
      nonce: hexDigits(nonce),
    }))
    const { standings, signers } = await transport.read({
      method: 'eth_call',
      params: [{ data: writeStandings(asked, signatures) }, 'latest'],
      parse: (result) =>
        readStandings(bytesFrom(result, 'standings'), askers.length, signatures.length),
      isUnique: true,
      hasGathered: true,
    })
    return standings.map((standing, index) => ({
      ...standing,
      signer: signers[places[index] ?? -1],
    }))
  }

  const share = shareCalls<Asker, AnsweredStanding>({
    clock,
    sizeOf: () => 1,
    callSizeMax: STANDINGS_PER_CALL_MAX,
    apartMilliseconds: APART_MILLISECONDS,
    ask,
  })
  return { read: (asked, askSigner) => share({ asked, askSigner }) }
}
