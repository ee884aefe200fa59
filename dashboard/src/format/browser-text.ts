/** Names of browsers by the word that their user agent says; those that also say another one's stand before it. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]
/** A program that names itself first: "curl/8.5.0". Source: RFC 9110, 10.1.5. */
const PRODUCT = /^([\w.-]+)(?:\/|\s|$)/

const first = (names: typeof BROWSERS, text: string) => names.find(([sign]) => sign.test(text))?.[1]

/**
 * Whose user agent it is, for people: "Firefox on Linux". What a browser says of itself is a hint and no proof; a program is called what
 * it calls itself.
 */
export function browserText(userAgent: string): string {
  const browser = first(BROWSERS, userAgent)
  const system = first(SYSTEMS, userAgent)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const product = PRODUCT.exec(userAgent)?.[1]
  const name = product === undefined || product === 'Mozilla' ? 'Unknown browser' : product
  return system === undefined ? name : `${name} on ${system}`
}
