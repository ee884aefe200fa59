import { shortText } from '../format/short-text.ts'
import { Short } from './short.tsx'

/** Whom a payment was made to, or came from. On a narrow screen it says which, for there no column does. */
export function OtherParty({
  type,
  sender,
  recipient,
  isTrade = false,
}: {
  type: 'sent' | 'received'
  sender: string
  recipient: string
  /** It paid for a trade; only a narrow screen says so here. */
  isTrade?: boolean
}) {
  const [address, what, word] =
    type === 'sent' ? [recipient, 'recipient', 'to'] : [sender, 'sender', 'from']
  return (
    <>
      <span className="max-sm:hidden">
        <Short text={address} what={what} />
      </span>
      <span className="text-soft sm:hidden">
        {isTrade ? 'trade ' : ''}
        {word} <span className="font-mono text-[0.8125rem]">{shortText(address)}</span>
      </span>
    </>
  )
}
