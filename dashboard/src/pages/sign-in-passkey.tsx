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
  if (IS_NUMBERS.test(location.hostname)) return <AtAName />
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

/** An address of numbers cannot have passkeys. Source: Web Authentication Level 3, 5.1.3. */
const IS_NUMBERS = /^(\d+\.){3}\d+$|^\[/
const LOOPBACK = /^127\.|^\[::1\]$/

/** On this machine there is a name, too. */
function AtAName() {
  if (!LOOPBACK.test(location.hostname)) return null
  const address = `http://localhost:${location.port}/dashboard/signin`
  return (
    <p className="text-soft">
      Passkeys belong to a name:{' '}
      <a href={address} className="font-medium text-brand-strong underline underline-offset-2">
        sign in with a passkey at localhost
      </a>
    </p>
  )
}

const isRefusal = (reason: unknown) => reason instanceof Error && reason.name === 'NotAllowedError'
