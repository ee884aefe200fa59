import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Chain } from '../chain.ts'
import { isObject } from '../json-rpc/answer.ts'
import type { Posted, PostText } from '../json-rpc/post-text.ts'
import type { Reply } from '../json-rpc/test-node.ts'
import { connectSolana } from './connect.ts'
import { testNetwork } from './test-network.ts'
import type { Lines } from './test-script.ts'

/** Stands for an integer above 64 bits, which no value of JavaScript is written as. */
const ABOVE_U64 = '"2 to the 64th"'
const WRITTEN_ABOVE_U64 = `${2n ** 64n}`

/** Takes the text of a whole answer and gives what comes instead of it. */
export type Spoil = (text: string) => Posted

/** Whole answers that are none, whatever was asked. */
export const SPOILED: Readonly<Record<string, Spoil>> = {
  'a page of HTML': () => ({ status: 200, text: '<html><body>Bad Gateway</body></html>' }),
  'nothing at all': () => ({ status: 200, text: '' }),
  'JSON that is cut off': (text) => ({ status: 200, text: text.slice(0, -2) }),
  'a refusal by HTTP': () => ({ status: 503, text: '' }),
  'answers to other calls': (text) => ({ status: 200, text: text.replaceAll('"id":', '"id":9') }),
  'ids that are text': (text) => ({
    status: 200,
    text: text.replaceAll(/"id":(\d+)/g, '"id":"$1"'),
  }),
  'one error for all': () => ({
    status: 200,
    text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32099,"message":"not today"}}',
  }),
}

/** What a node answers wrongly: which call, and how. */
export interface Lie {
  readonly method: string
  /** For people. */
  readonly what: string
  readonly reply: Reply
}

interface Item {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Nodes in this process behind one chain: the first lies or is spoiled, the others tell the truth. */
export function chainBehind(
  lines: Lines,
  first: { readonly lie?: Lie; readonly spoil?: Spoil } = {},
  { nodes = 1, ...change }: Partial<NetworkConfig> & { readonly nodes?: number } = {},
): { readonly chain: Chain; readonly asked: ReadonlySet<string>; readonly calls: () => number } {
  const asked = new Set<string>()
  let calls = 0
  const urls = Array.from({ length: nodes }, (_, index) => `http://127.0.0.1:${index + 1}`)
  const post: PostText = ({ url, body }) => {
    const isFirst = url.startsWith('http://127.0.0.1:1/') || url === urls[0]
    const { lie, spoil } = isFirst ? first : {}
    const sent = JSON.parse(body) as Item | Item[]
    const answers = [sent].flat().map(({ id, method, params }) => {
      asked.add(method)
      calls += 1
      const reply = lie?.method === method ? lie.reply : replyOf(lines, method, params)
      return reply === 'unanswered' ? undefined : { jsonrpc: '2.0', id, ...reply }
    })
    const text = JSON.stringify(
      Array.isArray(sent) ? answers.filter(Boolean) : (answers[0] ?? {}),
    ).replaceAll(ABOVE_U64, WRITTEN_ABOVE_U64)
    return {
      answer: Promise.resolve(spoil === undefined ? { status: 200, text } : spoil(text)),
      abandon: () => undefined,
    }
  }
  const config = testNetwork(urls, change)
  const chain = connectSolana({ config, log: openLog('silent'), clock: systemClock, post })
  return { chain, asked, calls: () => calls }
}

function replyOf(lines: Lines, method: string, params: readonly unknown[]): Reply {
  const line = lines[method]
  return typeof line === 'function' ? (line(params) as Reply) : { result: line ?? null }
}

/** What one node said to one question, once; throws when it was not asked. */
export function truthOf(lines: Lines, method: string, params: readonly unknown[]): unknown {
  const reply = replyOf(lines, method, params)
  if (reply === 'unanswered' || !('result' in reply)) throw new Error(`no result of ${method}`)
  return reply.result
}

const WRONG: readonly unknown[] = [
  null,
  true,
  false,
  'x',
  '',
  '7',
  -1,
  7.5,
  JSON.parse(ABOVE_U64),
  [],
  {},
  [{}],
]

/** Every way to spoil one place of an answer: what stands there left out, or of a type or a size that no node may give. */
export function liesAbout(method: string, truth: unknown): readonly Lie[] {
  const errors = [-32_099, 0, 7].map((code) => ({
    method,
    what: `error ${code}`,
    reply: { error: { code, message: 'not today' } } as const,
  }))
  return [
    ...errors,
    { method, what: 'no answer', reply: 'unanswered' },
    ...placesOf(truth).flatMap((path) => [
      ...(path.length === 0
        ? []
        : [{ method, what: `${shown(path)} left out`, reply: { result: changed(truth, path) } }]),
      ...WRONG.filter((value) => !isSame(value, at(truth, path))).map((value) => ({
        method,
        what: `${shown(path)} is ${JSON.stringify(value)}`,
        reply: { result: changed(truth, path, { value }) },
      })),
    ]),
  ]
}

type Path = readonly (string | number)[]

function shown(path: Path): string {
  return path.length === 0 ? 'all' : path.join('.')
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function placesOf(value: unknown, path: Path = []): readonly Path[] {
  const entries = Array.isArray(value)
    ? value.map((each, index) => [index, each] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  return [path, ...entries.flatMap(([key, each]) => placesOf(each, [...path, key]))]
}

function at(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return value
  return at((value as Readonly<Record<string, unknown>>)[key], rest)
}

/** A copy with one place changed, or left out. */
function changed(value: unknown, [key, ...rest]: Path, to?: { readonly value: unknown }): unknown {
  if (key === undefined) return to?.value
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value]
    if (rest.length === 0 && to === undefined) copy.splice(Number(key), 1)
    else copy[Number(key)] = changed(copy[Number(key)], rest, to)
    return copy
  }
  const copy: Record<string, unknown> = { ...(value as object) }
  if (rest.length === 0 && to === undefined) delete copy[key]
  else copy[key] = changed(copy[key], rest, to)
  return copy
}

/** What an operation gave; undefined where it says that a node failed. Any other error is thrown. */
export async function toldBy<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NodeFailure) return undefined
    throw error
  }
}
