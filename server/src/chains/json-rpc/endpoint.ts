import type { Clock } from '../../kernel/clock.ts'
import type { Secret } from '../../kernel/secret.ts'
import { NodeFailure } from '../chain.ts'
import { AnswerTooLong } from './answer-too-long.ts'
import { isObject } from './answer.ts'
import { BatchRefused } from './batch-refused.ts'
import { isBatchRefusal, readAnswers, writeCalls } from './messages.ts'
import type { NodeAnswer, NodeCall } from './messages.ts'
import { openNodeUrl } from './node-url.ts'
import type { PostText } from './post-text.ts'

/** One node's door. */
export interface Endpoint {
  /**
   * One HTTP round trip: the answers in the order of the calls, a NodeFailure in place of one that is missing.
   * Throws NodeFailure when nothing usable came back in time; whether the node saw the calls is then unknown. AnswerTooLong when they cannot be answered together, BatchRefused when the node takes fewer at once.
   */
  post(calls: readonly NodeCall[]): Promise<readonly (NodeAnswer | NodeFailure)[]>
}

export interface EndpointOptions {
  /** Where the node is; printed nowhere, because a provider's key is often part of it. */
  readonly url: Secret
  /** How failures call this node: its place in the configuration. */
  readonly name: string
  readonly clock: Clock
  readonly callSeconds: number
  readonly responseBytesMax: number
  readonly post: PostText
}

const FINISHED = 'the call is over'

/** The node gave no answer in time; asking it again at once is pointless. */
export class NodeTimeout extends NodeFailure {}

/** Opens a JSON-RPC endpoint over HTTP. Nothing is sent before the first `post`. */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const { name, clock, callSeconds } = options
  const { url, headers, scrub } = openNodeUrl(options.url)

  async function post(calls: readonly NodeCall[]): Promise<readonly (NodeAnswer | NodeFailure)[]> {
    const { responseBytesMax } = options
    const underWay = options.post({ url, headers, body: writeCalls(calls), responseBytesMax })
    const finished = new AbortController()
    let isLate = false
    const timer = clock.sleep(callSeconds * 1000, finished.signal).then(() => {
      if (finished.signal.aborted) return
      isLate = true
      underWay.abandon()
    })
    try {
      const { status, text } = await underWay.answer
      if (status < 200 || status >= 300) {
        const Failure = isBatchRefusal(text, calls.length) ? BatchRefused : NodeFailure
        throw new Failure(`the node answered HTTP ${status}`)
      }
      return readAnswers(text, calls.length, scrub)
    } catch (error) {
      if (isLate) throw new NodeTimeout(`${name}: no answer in time`)
      if (error instanceof AnswerTooLong) throw new AnswerTooLong(`${name}: ${error.message}`)
      if (error instanceof BatchRefused) throw new BatchRefused(`${name}: ${error.message}`)
      if (error instanceof NodeFailure) throw new NodeFailure(`${name}: ${error.message}`)
      // The error's own text may hold the URL, so only its code goes on.
      throw new NodeFailure(`${name} cannot be reached: ${codeOf(error)}`)
    } finally {
      // With a reason: without one an error is made, stack and all, 35 us for each call.
      finished.abort(FINISHED)
      await timer
    }
  }

  return { post }
}

function codeOf(error: unknown): string {
  const code = isObject(error) ? error['code'] : undefined
  return typeof code === 'string' ? code : 'no connection'
}
