import { useState } from 'react'

/**
 * What is typed into a field until it is asked for. It follows what is asked, so that clearing, going back or a link shows in the field, and
 * the form that holds it stays as it is, with its focus.
 */
export function useTyped(asked: string): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(asked)
  const [seen, setSeen] = useState(asked)
  if (seen !== asked) {
    setSeen(asked)
    setTyped(asked)
  }
  return [typed, setTyped]
}
