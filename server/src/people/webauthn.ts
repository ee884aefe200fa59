import type * as Library from '@simplewebauthn/server'

/**
 * The library that makes and checks WebAuthn messages, loaded with the first passkey: its 230 modules are a twentieth of
 * an idle service's memory, and most services never see one.
 */
export function webAuthn(): Promise<typeof Library> {
  return import('@simplewebauthn/server')
}
