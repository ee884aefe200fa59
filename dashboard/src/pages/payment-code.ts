/** A payment as a program would order it. */
export interface PaymentSample {
  readonly baseUrl: string
  /** Null: the reader has to put one in. */
  readonly apiKey: string | null
  readonly order: {
    readonly walletAddress: string
    readonly recipientAddress: string
    readonly amount: string
    readonly asset?: string
  }
  readonly idempotencyKey: string
}

/** A text as one word of a shell. Source: POSIX, Shell Command Language, 2.2.2. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The payment as a line for a shell. Without a key it reads one from the environment. */
export function curlCall({ baseUrl, apiKey, order, idempotencyKey }: PaymentSample): string {
  const key =
    apiKey === null
      ? '"Authorization: Bearer $FLORIN_API_KEY"'
      : quoted(`Authorization: Bearer ${apiKey}`)
  return [
    `curl -sS ${quoted(`${baseUrl}/payment/send`)}`,
    `-H ${key}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`,
    `-d ${quoted(JSON.stringify(order))}`,
  ].join(' \\\n  ')
}

/** The same with the client for TypeScript. */
export function sdkCall({ baseUrl, apiKey, order, idempotencyKey }: PaymentSample): string {
  const key = apiKey === null ? 'process.env.FLORIN_API_KEY' : literal(apiKey)
  const fields = Object.entries(order).map(([name, value]) => `    ${name}: ${literal(value)},`)
  return [
    `import { Florin } from '@florin/sdk'`,
    ``,
    `const florin = new Florin({`,
    `  baseUrl: ${literal(baseUrl)},`,
    `  apiKey: ${key},`,
    `})`,
    `const sent = await florin.payments.send(`,
    `  {`,
    ...fields,
    `  },`,
    `  { idempotencyKey: ${literal(idempotencyKey)} },`,
    `)`,
    `console.log(sent.status, sent.signature)`,
  ].join('\n')
}

const literal = (text: string) =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`
