import { limits } from './limits.ts'

/**
 * Shapes that a secret can have inside a text that somebody else wrote (a node, a driver, a library), each with what stands in its
 * place. Our own secrets are `Secret` and print as [secret] anyway; this is the net below that.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  // A provider's key may be any part of a URL, its host name too.
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`]+/gi, '[url]'],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [secret]'],
  [/\bflorin_(?:live|test)_\w+/g, '[secret]'],
  [/\bwhsec_[\w+/=-]+/g, '[secret]'],
  [
    /("?\b(?:authorization|api_?key|private_?key|payment_?proof|pass(?:word|phrase)?|pepper|secret|token)"?\s*[:=]\s*)("[^"]*"|[^\s,;&}]+)/gi,
    '$1[secret]',
  ],
  // Base64 of a JSON object: an x402 payment or a proof.
  [/\beyJ[\w+/=-]{16,}/g, '[secret]'],
  // Longer than any hash, signature, address or id: raw transactions, keys, bodies.
  [/[\w+/=-]{129,}/g, '[long]'],
]

/** A text for the log: nothing in it that looks like a secret, no line breaks, and not longer than limits.logTextCharactersMax. */
export function logText(text: string): string {
  const max = limits.logTextCharactersMax
  // Cut first, with room for what the shapes take out: the work is bounded whatever a node writes.
  let clean = text.slice(0, max * 4)
  for (const [shape, instead] of SHAPES) clean = clean.replace(shape, instead)
  clean = clean.replaceAll(/[\r\n\t]+/g, ' ')
  return clean.length > max ? `${clean.slice(0, max)}...` : clean
}
