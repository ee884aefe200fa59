/** Why a request of a webhook got no answer, in words. */
const WORDS: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  given_up: 'given up on',
  not_connected: 'no connection',
  broken_answer: 'a broken answer',
  header_too_long: 'too long a header',
  body_too_long: 'too long an answer',
  name_not_found: 'host name not found',
  name_lookup_failed: 'host name could not be looked up',
  busy: 'too many requests at once',
  not_a_url: 'not an address',
  scheme_not_allowed: 'scheme not allowed',
  credentials_in_url: 'credentials in the address',
  port_not_allowed: 'port not allowed',
  address_not_allowed: 'address not allowed',
  header_not_allowed: 'header not allowed',
}

/** What became of a request of a webhook: the status of its answer, or why there was none; a reason that is new here as it is. */
export function deliveryAnswer(
  attempt: { readonly status: number | null; readonly error: string | null } | undefined,
): string {
  if (attempt === undefined) return 'none yet'
  const { status, error } = attempt
  if (status !== null) return `${status}`
  return error === null ? 'none' : (WORDS[error] ?? error)
}
