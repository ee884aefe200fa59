/** Stands between cookies that an answer sets: a comma may be part of one, a line break of no header. Source: RFC 9110, 5.3. */
export const COOKIES_APART = '\n'
