/** Whether an address, in its one spelling, is of this machine itself. Source: RFC 1122, 3.2.1.3; RFC 4291, 2.5.3. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.[0-9.]+$/.test(address)
}
