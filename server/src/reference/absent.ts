/** Whether a row takes no body. */
export function isAbsent(body: object): boolean {
  return 'absent' in body
}
