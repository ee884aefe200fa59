import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import { FlorinError } from './florin-error.ts'
import { limits } from './limits.ts'

export interface FlorinOptions {
  /** Where the service answers, with or without a path: `https://pay.example.com`. */
  readonly baseUrl: string
  /** An API key. Keep it on a server: whoever has it can spend. */
  readonly apiKey: string
  /** Bounds of one call, all its tries together. */
  readonly retry?: {
    /** Requests, the first one included; 1 never repeats. */
    readonly triesMax?: number
    readonly totalMilliseconds?: number
  }
  /** Another fetch than the platform's. */
  readonly fetch?: typeof fetch
  /** Another clock than the platform's, for tests. */
  readonly clock?: Clock
  /** A number from 0 up to 1 for the spread of pauses; Math.random unless given. */
  readonly random?: () => number
}

/** One request but for its time limit; the same on every try. */
export interface Message {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What every call needs. The key stands in a closure, where no print and no serialisation finds it. */
export interface Connection {
  readonly baseUrl: string
  readonly clock: Clock
  readonly random: () => number
  readonly triesMax: number
  readonly totalMilliseconds: number
  request(url: string, message: Message, signal: AbortSignal): Promise<Response>
}

/** Checks the options. @throws {FlorinError} INVALID_SETTING, which never repeats the key. */
export function connect(options: FlorinOptions): Connection {
  const { apiKey, retry = {}, clock = systemClock, random = Math.random } = options
  // A header with any other character is refused by fetch with a message that holds the whole header.
  if (typeof apiKey !== 'string' || !isVisible(apiKey)) {
    throw refused('apiKey must be visible ASCII characters without a space')
  }
  const own = options.fetch
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    clock,
    random,
    triesMax: bounded('retry.triesMax', retry.triesMax ?? limits.triesMax),
    totalMilliseconds: bounded(
      'retry.totalMilliseconds',
      retry.totalMilliseconds ?? limits.totalMilliseconds,
    ),
    request: (url, message, signal) => {
      const headers = { ...message.headers, authorization: `Bearer ${apiKey}` }
      // A redirect would carry the key to another place, or make a payment a GET.
      const init: RequestInit = { ...message, headers, signal, redirect: 'manual' }
      return own === undefined ? fetch(url, init) : own(url, init)
    },
  }
}

/** Whether text can be a key: 1 to 255 visible ASCII characters. */
export function isVisible(text: string): boolean {
  return /^[!-~]+$/.test(text) && text.length <= limits.keyCharactersMax
}

function readBaseUrl(text: unknown): string {
  const [, address] =
    typeof text === 'string' ? (/^(https?:\/\/[^\s?#@]+?)\/*$/i.exec(text) ?? []) : []
  if (address === undefined) {
    throw refused('baseUrl must be an http or https address without a name, a query or a fragment')
  }
  return address
}

function bounded(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1)
    throw refused(`${name} must be a whole number from 1`)
  return value
}

function refused(message: string): FlorinError {
  return new FlorinError({ code: 'INVALID_SETTING', message })
}
