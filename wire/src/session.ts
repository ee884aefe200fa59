import Type from 'typebox'
import { Exactly, Milliseconds, Nullable, Said, SentObject } from './fields.ts'
import { PLANS } from './plan.ts'
import { ROLES } from './role.ts'

const EMAIL_CHARACTERS_MAX = 254
const PASSWORD_CHARACTERS_MIN = 12
const PASSWORD_CHARACTERS_MAX = 200
const NAME_CHARACTERS_MAX = 100
const TOKEN_CHARACTERS_MAX = 200

const Text = (description: string) => Type.String({ description })

/** An address as people write it; case does not count. Whether post arrives there nobody checks: links are handed over by people. */
export const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_CHARACTERS_MAX,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'An email address. Upper and lower case are the same.',
})
export const PersonName = Type.String({
  minLength: 1,
  maxLength: NAME_CHARACTERS_MAX,
  description: 'What people call this person.',
})
const NewPassword = Type.String({
  minLength: PASSWORD_CHARACTERS_MIN,
  maxLength: PASSWORD_CHARACTERS_MAX,
  description: `At least ${PASSWORD_CHARACTERS_MIN} characters, any of them.`,
})

/** POST /session: a link that was handed over, or email and password. */
export const SignInBody = Exactly({
  link: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TOKEN_CHARACTERS_MAX,
      description: 'The part of a sign-in link behind `#link=`. Alone.',
    }),
  ),
  email: Type.Optional(Email),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PASSWORD_CHARACTERS_MAX,
      description: 'With `email`.',
    }),
  ),
})

const member = {
  memberId: Text('Name of the person: mem_ and 22 characters.'),
  email: Said('Null until one was given.', Nullable(Type.String())),
  name: Text('What people call this person.'),
}

const account = {
  accountId: Text('Name of the account: acct_ and 22 characters.'),
  name: Text('What people call the account.'),
  role: Type.Enum(ROLES, { description: 'What this person may do in it.' }),
  plan: Type.Enum(PLANS, { description: 'The plan of the account.' }),
}

/** Who is signed in: the answer of GET /session and of everything that begins or changes a session. */
export const SessionAnswer = Exactly({
  sessionId: Text('Name of the session: ses_ and 22 characters.'),
  member: Exactly({
    ...member,
    hasPassword: Type.Boolean({ description: 'Whether a password opens a session.' }),
    passkeys: Type.Integer({ minimum: 0, description: 'How many passkeys do.' }),
  }),
  operator: Type.Boolean({ description: 'Whether this person runs the installation.' }),
  accounts: Type.Array(Exactly(account), { description: 'Where this person is a member.' }),
  selected: Said(
    'The account that every operation of this session is about; null when there is none. Its `role` is the one that this session has: a role that was raised since counts from the next sign-in or PUT /session/account.',
    Nullable(Exactly(account)),
  ),
  csrfToken: Text(
    'Send it as X-CSRF-Token with every request of this session that is not a GET. It changes with the cookie.',
  ),
  signedInAt: Milliseconds,
  expiresAt: Said('When it ends, whatever happens, Unix milliseconds.', Milliseconds),
  idleExpiresAt: Said('When it ends if nothing is asked until then.', Milliseconds),
  sandbox: Type.Boolean({ description: 'Every network is a sandbox: no money is real.' }),
  baseUrl: Text('The address of this API as its callers know it.'),
})

/** PUT /session/account. */
export const SelectAccountBody = Exactly({
  accountId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'One of the accounts of GET /session.',
  }),
})

export const SignedOut = Exactly({ signedOutAt: Milliseconds })

/** The answer of GET /sessions: the live ones of this person, newest first. */
export const SessionList = Exactly({
  sessions: Type.Array(
    Exactly({
      sessionId: Text('Name of the session.'),
      current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
      method: Type.Enum(['link', 'password', 'passkey'], { description: 'How it was opened.' }),
      address: Text('From where it was opened.'),
      userAgent: Text('What the browser called itself.'),
      createdAt: Milliseconds,
      lastSeenAt: Said('To the minute.', Milliseconds),
      expiresAt: Milliseconds,
    }),
  ),
})

export const SessionPath = Exactly({
  sessionId: Type.String({ minLength: 1, maxLength: 64, description: 'A session of yours.' }),
})
export const SessionEnded = Exactly({
  sessionId: Text('Name of the session that was.'),
  endedAt: Milliseconds,
})

/** PATCH /me: what is left out stays. */
export const ProfileBody = Exactly({
  name: Type.Optional(PersonName),
  email: Type.Optional(Email),
})
export const Profile = Exactly(member)

/** POST /me/password. */
export const PasswordBody = Exactly({
  password: NewPassword,
  currentPassword: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PASSWORD_CHARACTERS_MAX,
      description: 'The password until now, when there is one.',
    }),
  ),
})

/** What the browser is to be asked for: hand `options` to it as they are. */
export const PasskeyOptions = Exactly({
  options: Said('Options of the Web Authentication API, in JSON.', SentObject),
})

// Browsers may say more than this; what is signed is what counts.
const credential = {
  id: Type.String({ minLength: 1, maxLength: 1400, description: 'The credential.' }),
  rawId: Type.String({ minLength: 1, maxLength: 1400, description: 'The same.' }),
  type: Type.Literal('public-key', { description: 'The one kind there is.' }),
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 64, description: 'Where.' })),
  clientExtensionResults: Type.Object({}, { description: 'Nothing of it is used.' }),
}
const Base64Url = (description: string) =>
  Type.String({ minLength: 1, maxLength: 16_384, pattern: '^[A-Za-z0-9_-]+=*$', description })

/** POST /session/passkey: what the browser answered. Source: Web Authentication Level 3, AuthenticationResponseJSON. */
export const PasskeyAssertionBody = Exactly({
  response: Type.Object(
    {
      ...credential,
      response: Type.Object({
        clientDataJSON: Base64Url('What the browser signed about.'),
        authenticatorData: Base64Url('What the authenticator says of itself.'),
        signature: Base64Url('By the credential.'),
        userHandle: Type.Optional(Base64Url('Whose credential it is.')),
      }),
    },
    { description: 'The answer of `startAuthentication`, as it is.' },
  ),
})

/** POST /me/passkeys. Source: the same, RegistrationResponseJSON. */
export const PasskeyBody = Exactly({
  name: Type.String({
    minLength: 1,
    maxLength: NAME_CHARACTERS_MAX,
    description: 'What you call it.',
  }),
  response: Type.Object(
    {
      ...credential,
      response: Type.Object({
        clientDataJSON: Base64Url('What the browser signed about.'),
        attestationObject: Base64Url('The new credential.'),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
      }),
    },
    { description: 'The answer of `startRegistration`, as it is.' },
  ),
})

const passkey = {
  passkeyId: Text('Name of the passkey: psk_ and 22 characters.'),
  name: Text('What you called it.'),
  synced: Type.Boolean({ description: 'Whether it is kept on more than one device.' }),
  createdAt: Milliseconds,
  lastUsedAt: Said('Null before its first use.', Nullable(Milliseconds)),
}
export const Passkey = Exactly(passkey)
export const PasskeyList = Exactly({ passkeys: Type.Array(Passkey) })
export const PasskeyPath = Exactly({
  passkeyId: Type.String({ minLength: 1, maxLength: 64, description: 'A passkey of yours.' }),
})
export const PasskeyDeleted = Exactly({
  passkeyId: Text('Name of the passkey that was.'),
  deletedAt: Milliseconds,
})
