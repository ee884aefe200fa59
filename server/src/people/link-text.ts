import { Secret } from '../kernel/secret.ts'

/** The address that a link is handed over as. What stands behind # reaches no log. */
export function linkText(baseUrl: string, token: Secret): Secret {
  return new Secret(`${baseUrl}/signin#link=${token.reveal()}`)
}
