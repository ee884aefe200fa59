import Type from 'typebox'
import { Exactly, Milliseconds, Nullable, Said } from './fields.ts'
import { ROLES } from './role.ts'
import { Email, PersonName } from './session.ts'

const Text = (description: string) => Type.String({ description })
const Role = Type.Enum(ROLES, {
  description:
    '`viewer` reads; `developer` also pays, settles, trades and manages keys; `owner` also manages members.',
})

const member = {
  memberId: Text('Name of the person: mem_ and 22 characters.'),
  email: Said('Null until one was given.', Nullable(Type.String())),
  name: Text('What people call this person.'),
  role: Role,
  joinedAt: Said('Null while invited and not yet come.', Nullable(Milliseconds)),
  lastSeenAt: Said('Null when never; to the minute.', Nullable(Milliseconds)),
  invitedUntil: Said(
    'Until when the link of the invitation is good; null when there is none that waits.',
    Nullable(Milliseconds),
  ),
}

/** A member of the account. */
export const Member = Exactly(member)
export const MemberList = Exactly({ members: Type.Array(Member) })

/** POST /members. */
export const InviteBody = Exactly({
  email: Email,
  name: Type.Optional(PersonName),
  role: Role,
})

/** The answer of it: somebody hands the link over. */
export const Invited = Exactly({
  ...member,
  link: Said(
    'Signs this person in, once, and is shown this once; null when the request was repeated under its idempotency key.',
    Nullable(Type.String()),
  ),
})

export const MemberPath = Exactly({
  memberId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A member of the account: mem_ and 22 characters.',
  }),
})

/** PATCH /members/{memberId}. */
export const RoleBody = Exactly({ role: Role })

export const MemberRemoved = Exactly({
  memberId: Text('Name of the member that was.'),
  removedAt: Milliseconds,
})
