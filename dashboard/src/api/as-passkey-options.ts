import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

type Sent = Readonly<Record<string, unknown>>

/** What the service has made for the browser goes to the browser as it is; the browser checks every field. */
export function asAuthenticationOptions(options: Sent): PublicKeyCredentialRequestOptionsJSON {
  return options as object as PublicKeyCredentialRequestOptionsJSON
}

/** The same for a new passkey. */
export function asRegistrationOptions(options: Sent): PublicKeyCredentialCreationOptionsJSON {
  return options as object as PublicKeyCredentialCreationOptionsJSON
}
