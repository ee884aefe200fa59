import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { faultOf } from '../api/api-error.ts'
import { useDeed } from '../api/use-deed.ts'
import { setSession, useSession } from '../app/session.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { useToast } from '../parts/toast.tsx'

/** Sets the password of this person, with the email that it goes with. */
export function PasswordCard() {
  const { member } = useSession()
  const client = useQueryClient()
  const say = useToast()
  const [email, setEmail] = useState(member.email ?? '')
  const [password, setPassword] = useState('')
  const [current, setCurrent] = useState('')
  const profile = useDeed('PATCH /me', { refreshes: ['GET /session', 'GET /members'] })
  const change = useDeed('POST /me/password', {
    onDone: (session) => {
      setSession(client, session)
      setPassword('')
      setCurrent('')
      say('The password is set; your other sessions have ended')
    },
  })
  const save = async () => {
    if (email.trim() !== (member.email ?? '')) {
      await profile.mutateAsync({ body: { email: email.trim() } })
    }
    await change.mutateAsync({
      body: { password, ...(member.hasPassword ? { currentPassword: current } : {}) },
    })
  }
  const error = profile.error ?? change.error
  return (
    <Card title="Password">
      <form
        className="max-w-sm space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          // What went wrong is shown below, from the deeds themselves.
          save().catch(() => undefined)
        }}
      >
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={email}
          fault={faultOf(profile.error, 'email')}
          onChange={({ target }) => setEmail(target.value)}
        />
        {member.hasPassword ? (
          <Field
            label="Password until now"
            type="password"
            autoComplete="current-password"
            required
            value={current}
            fault={faultOf(change.error, 'currentPassword')}
            onChange={({ target }) => setCurrent(target.value)}
          />
        ) : null}
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
          required
          minLength={12}
          value={password}
          fault={faultOf(change.error, 'password')}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Button type="submit" busy={profile.isPending || change.isPending}>
          {member.hasPassword ? 'Change password' : 'Set password'}
        </Button>
        {error === null ? null : <ErrorPanel error={error} />}
      </form>
    </Card>
  )
}
