import { useState } from 'react'
import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser'
import { useApi } from '../app/services.tsx'
import type { Session } from '../app/session.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { asAuthenticationOptions } from '../api/as-passkey-options.ts'

/** Signs in with a passkey that this browser, or a device near it, has. */
export function PasskeySignIn({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const api = useApi()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const signIn = async () => {
    const { options } = await api.call('POST /session/passkey/options')
    const answered = await startAuthentication({ optionsJSON: asAuthenticationOptions(options) })
    const { id, rawId, type, clientExtensionResults, authenticatorAttachment } = answered
    const { clientDataJSON, authenticatorData, signature, userHandle } = answered.response
    onSignedIn(
      await api.call('POST /session/passkey', {
        body: {
          response: {
            ...{ id, rawId, type, clientExtensionResults },
            ...(authenticatorAttachment === undefined ? {} : { authenticatorAttachment }),
            response: {
              ...{ clientDataJSON, authenticatorData, signature },
              ...(userHandle === undefined ? {} : { userHandle }),
            },
          },
        },
      }),
    )
  }
  if (!browserSupportsWebAuthn()) return null
  return (
    <>
      <Button
        icon="keys"
        busy={busy}
        className="w-full"
        onClick={() => {
          setBusy(true)
          setError(null)
          signIn()
            // Whoever closes the browser's question has changed their mind: nothing is wrong.
            .catch((reason: unknown) => setError(isRefusal(reason) ? null : reason))
            .finally(() => setBusy(false))
        }}
      >
        Sign in with a passkey
      </Button>
      {error === null ? null : <ErrorPanel error={error} />}
    </>
  )
}

const isRefusal = (reason: unknown) => reason instanceof Error && reason.name === 'NotAllowedError'
